"""What is written: whole files with their permissions, no leftovers, nothing that steers a terminal."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.cli.main import main
from vaglio.runtime.files import _machine, temporary_name, write_whole

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="permissions and signals are those of POSIX")
VAGLIO = [sys.executable, "-m", "vaglio"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new\n", mode)


@POSIX
def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode


@POSIX
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
def test_a_symbolic_link_is_written_through(there: bool, tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    if there:
        (far / "a.txt").write_text("old")
    (tmp_path / "middle").symlink_to(far / "a.txt")
    (tmp_path / "link").symlink_to("middle")
    write_whole(tmp_path / "link", "new")
    assert (far / "a.txt").read_text() == "new\n"
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in far.iterdir()] == ["a.txt"]


@pytest.mark.slow
@POSIX
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom vaglio.runtime.files import replacing\n"
        "with replacing(sys.argv[1]) as file:\n    file.write(b'half'); file.flush(); print('ready', flush=True)\n"
        "    time.sleep(100)"
    )
    with subprocess.Popen([sys.executable, "-c", script, tmp_path / "a.txt"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        (half,) = tmp_path.iterdir()
        assert f"-{process.pid}-" in half.name
        write_whole(tmp_path / "b.txt", "another process writes: the file of a living one stays")
        assert half.exists()
        process.send_signal(signal.SIGKILL)
    assert half.exists()
    write_whole(tmp_path / "b.txt", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


def test_only_what_is_surely_dead_is_removed(tmp_path: Path) -> None:
    own = temporary_name(tmp_path / "a.txt")
    elsewhere = own.with_name(own.name.replace(_machine(), "00000000").replace(f"-{os.getpid()}-", "-999999999-"))
    similar = tmp_path / ".a.txt.vaglio-notes"
    for path in (own, elsewhere, similar):
        path.write_text("")
    write_whole(tmp_path / "b.txt", "new")
    assert all(path.exists() for path in (own, elsewhere, similar))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    X, y = vaglio.datasets.load("play").xy("play")
    vaglio.C45Classifier().fit(X, y).save(tmp_path / "m.vaglio")
    vaglio.table.write(vaglio.datasets.load("play"), tmp_path / "play.csv")
    return tmp_path / "m.vaglio"


def closing(stream: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program with a stream that is closed from the start."""
    command = ["sh", "-c", f'exec "$@" {stream}', "sh", *VAGLIO, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize(
    "line",
    [
        *("predict m.vaglio play.csv", "--version", "inspect m.vaglio --json"),
        *(pytest.param(line, marks=pytest.mark.nightly) for line in ("datasets play", "inspect m.vaglio")),
    ],
)
def test_a_closed_standard_output_ends_quietly(line: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.parent)
    done = closing(">&-", *line.split())
    assert "Traceback" not in done.stderr
    assert "vaglio:" not in done.stderr
    assert done.returncode == 141, done.stderr


@pytest.mark.slow
@POSIX
def test_a_result_is_written_whole_when_standard_output_is_closed(model: Path, monkeypatch: Any) -> None:
    """No file of ours gets the number of the closed stream, and with it what is printed there."""
    monkeypatch.chdir(model.parent)
    assert closing(">&-", "train", "play.csv", "--target", "play", "--out", "new.vaglio").returncode == 141
    assert vaglio.load("new.vaglio").learner == "c45"


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("stream", [pytest.param("2>&-", marks=pytest.mark.nightly), "2>/dev/full"])
def test_a_closed_standard_error_changes_nothing_else(stream: str, model: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(model.parent)
    usual = run_here("predict", "m.vaglio", "play.csv")
    done = closing(stream, "predict", "m.vaglio", "play.csv")
    assert (done.returncode, done.stdout) == (0, usual.out)
    assert closing(stream, "predict", "m.vaglio", "nothing.csv").stdout == ""
    assert closing(stream, "train", "play.csv", "-t", "play", "-v", "--out", "new.vaglio").returncode == 0


@pytest.mark.slow
@POSIX
def test_a_reader_of_remarks_that_goes_away_is_no_error(model: Path) -> None:
    command = [
        *VAGLIO,
        "train",
        str(model.parent / "play.csv"),
        "-t",
        "play",
        "-v",
        "-o",
        str(model.parent / "n.vaglio"),
    ]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=write, timeout=60)
    os.close(write)
    assert done.returncode == 0
    assert (model.parent / "n.vaglio").exists()


@pytest.mark.slow
@POSIX
def test_a_closed_standard_input_is_an_empty_table(model: Path) -> None:
    done = closing("<&-", "predict", model, "-")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@POSIX
def test_an_encoding_without_the_signs_we_print(model: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*VAGLIO, "rules", str(model)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0


EVIL = "evil\x1b]0;title\x07\x1b[31m\x9b31m\u202e"


@pytest.fixture
def steering(tmp_path: Path) -> Path:
    """A table, and a model, whose names would steer a terminal."""
    rows = "".join(f"{i % 9},{'no' if i % 2 else EVIL}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"a{EVIL},b{EVIL}\n{rows}", encoding="utf-8")
    X, y = vaglio.read(tmp_path / "t.csv", f"b{EVIL}").xy()
    model = vaglio.C45Classifier().fit(X, y).fitted_.with_provenance(target=f"b{EVIL}", command=EVIL, python=EVIL)
    model.save(tmp_path / "m.vaglio")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "inspect m.vaglio",
        "inspect m.vaglio --json",
        "rules m.vaglio",
        "export m.vaglio --format tree",
        "explain m.vaglio t.csv",
        "evaluate m.vaglio t.csv",
        "audit t.csv --target -1",
        "explore t.csv --target -1 -v",
        "train t.csv --target -1 --folds 3 -v",
        "train t.csv --target nothing",
        "trace t.csv --target -1 --max-rows 99",
        "predict m.vaglio t.csv --out p.csv",
    ],
)
def test_names_do_not_steer_the_terminal(line: str, steering: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(steering)
    with pytest.raises(SystemExit):
        main(line.split())
    said = capfd.readouterr()
    for text in said:
        assert not set(text) & set("\x1b\x07\x9b\u202e"), text
    if "--json" in line:
        assert json.loads(said.out)["columns"][0]["name"] == f"a{EVIL}"


def test_text_for_programs_is_exact(steering: Path, capfd: Any) -> None:
    with pytest.raises(SystemExit):
        main(["export", str(steering / "m.vaglio"), "--format", "sql"])
    out = capfd.readouterr().out
    assert "\x1b" in out
    assert out == vaglio.load(steering / "m.vaglio").export("sql").rstrip("\n") + "\n"
