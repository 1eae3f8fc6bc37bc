"""Every command on valid tables: what it prints and writes, and that the commands it suggests next work."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import datasets

from .conftest import Outcome, run_here


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, penguins: Path) -> Path:
    """A folder with a table whose name has a space, and its model, trained once."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "my penguins.csv").write_bytes(penguins.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run_here("train", "my penguins.csv", "--target", "species", "--out", "my model.vaglio").code == 0
    return folder


@pytest.fixture
def folder(tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder of the test's own; commands run in it."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


QUICK = ["--jobs", "1", "--folds", "3"]
# Pictures of all columns take a while.
FEW = [word for name in ("body_mass_g", "year", "flipper_length_mm") for word in ("--ignore", name)]
COMMANDS = {
    "datasets": ["datasets", "play", "--out", "play.csv"],
    "audit": ["audit", "my penguins.csv", "--target", "species"],
    "explore": ["explore", "my penguins.csv", "--target", "species", *FEW],
    "train": ["train", "my penguins.csv", "--target", "species", "--out", "a.vaglio"],
    "evaluate": ["evaluate", "my penguins.csv", "--target", "species", "--folds", "3"],
    "evaluate model": ["evaluate", "my model.vaglio", "my penguins.csv"],
    "compare": [
        *("compare", "my penguins.csv", "--target", "species", "--learner", "c45", "--learner", "naive-bayes"),
        *("--accuracy-only", *QUICK),
    ],
    "tune": ["tune", "my penguins.csv", "--target", "species", "--trials", "2", *QUICK],
    "select": ["select", "my penguins.csv", "-t", "species", "-l", "c45", "-l", "knn", "--strategy", "quick", *QUICK],
    "predict": ["predict", "my model.vaglio", "my penguins.csv", "--out", "p.csv"],
    "explain": ["explain", "my model.vaglio", "my penguins.csv"],
    "inspect": ["inspect", "my model.vaglio"],
    "rules": ["rules", "my model.vaglio"],
    "export": ["export", "my model.vaglio"],
}


def proposed(outcome: Outcome) -> list[list[str]]:
    """The commands of the line that begins with Next, as a shell would split them."""
    (line,) = [line for line in outcome.err.splitlines() if line.startswith("Next: ")]
    return [shlex.split(text)[1:] for text in line.removeprefix("Next: ").split(", or ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_suggested_next_command_works(name: str, folder: Path):
    outcome = run_here(*COMMANDS[name])
    assert outcome.code == 0, outcome.err
    for words in proposed(outcome):
        if "TABLE" in words:
            words = [word.replace("TABLE", "my penguins.csv") for word in words]
        slow = {"select": ["--strategy", "quick", "--learner", "c45"], "tune": ["--strategy", "quick"]}
        quick = {"compare": ["--accuracy-only", "--folds", "2", "--jobs", "1"], **slow}
        following = run_here(*words, *quick.get(words[0], []))
        assert following.code == 0, (words, following.err)


# How an unusual file is read, and its columns.
ODD = ["--missing", "absent", "--read", "delimiter=~", "--read", "header=true"]
CODES = ["--nominal", "year"]
UNUSUAL = {
    "audit": ["audit", "odd.txt", "--target", "species", "--clean", "clean.csv"],
    "explore": ["explore", "odd.txt", "--target", "species", *FEW[:2]],
    "train": ["train", "odd.txt", "--target", "species", "--out", "a.vaglio"],
    "evaluate": ["evaluate", "odd.txt", "--target", "species", "--holdout", "0.3"],
    "report": ["report", "odd.txt", "-t", "species", "-l", "c45", "--holdout", "0.3", "--model", "a.vaglio"],
    "evaluate model": ["evaluate", "my model.vaglio", "odd.txt"],
    "predict": ["predict", "my model.vaglio", "odd.txt", "--out", "p.csv"],
    "explain": ["explain", "my model.vaglio", "odd.txt"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNUSUAL)
def test_the_suggested_next_command_reads_the_file_in_the_same_way(name: str, folder: Path):
    rows = pd.read_csv("my penguins.csv").iloc[::5]
    rows.to_csv("odd.txt", sep="~", index=False, na_rep="absent")
    said = ODD if "model.vaglio" in " ".join(UNUSUAL[name]) and name != "report" else [*ODD, *CODES]
    outcome = run_here(*UNUSUAL[name], *said)
    assert outcome.code == 0, outcome.err
    for words in proposed(outcome):
        text = " ".join(words)
        assert (" ".join(ODD) in text) == ("odd.txt" in text)
        if "model.vaglio" not in text and "odd.txt" in text and words[0] in ("audit", "explore", "train", "compare"):
            assert " ".join(CODES) in text
        if words[0] != "compare":
            assert run_here(*words).code == 0, words


def test_predict_is_not_suggested_for_what_it_cannot_read(folder: Path):
    pd.read_csv("my penguins.csv").iloc[::5].to_excel("two.xlsx", sheet_name="birds", index=False)
    said = ["--read", "sheet=birds"]
    trained = run_here("train", "two.xlsx", "--target", "species", "--out", "a.vaglio", *said)
    assert [words[0] for words in proposed(trained)] == ["rules", "explain"]
    explained = run_here(*proposed(trained)[1], "--wrong", "--target", "species")
    assert [words[0] for words in proposed(explained)] == ["inspect"]


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_json_and_nothing_else(name: str, folder: Path):
    outcome = run_here(*COMMANDS[name], "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out, parse_constant=pytest.fail)
    assert "Next:" not in outcome.err


OUTS = {
    "audit": [".json", ".csv", ".html"],
    "explore": [".json", ".csv", ".html", ".svg", ".png", ".pdf"],
    "evaluate": [".json", ".csv", ".html", ".svg", ".png", ".pdf"],
    "compare": [".json", ".csv", ".html", ".svg"],
    "tune": [".vaglio", ".json", ".csv", ".html"],
    "select": [".vaglio", ".json", ".csv", ".html"],
    "explain": [".json", ".csv", ".html", ".txt"],
}
BEGINS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!doctype html>"}


@pytest.mark.slow
@pytest.mark.parametrize("command", OUTS)
def test_out_writes_what_the_suffix_says(command: str, folder: Path):
    paths = [Path(f"result{suffix}") for suffix in OUTS[command]]
    outcome = run_here(*COMMANDS[command], *(word for path in paths for word in ("--out", path)))
    assert outcome.code == 0, outcome.err
    for path in paths:
        content = path.read_bytes()
        assert content.startswith(BEGINS.get(path.suffix, b"")), path
        assert str(path) in outcome.err
        if path.suffix == ".json":
            assert json.loads(content, parse_constant=pytest.fail)
        elif path.suffix == ".csv":
            assert len(list(csv.DictReader(path.open()))) > 1
        elif path.suffix == ".vaglio":
            assert vaglio.load(path).provenance["target"] == "species"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_pages_name_the_table_and_load_nothing(folder: Path):
    run_here(*COMMANDS["explore"], "--out", "e.html")
    page = Path("e.html").read_text()
    assert "my penguins.csv" in page
    assert page.count('<svg class="histogram"') == 5
    assert "src=" not in page
    assert "https://" not in page.replace("http://www.w3.org", "").replace("https://matplotlib.org/", "")


@pytest.mark.slow
def test_the_same_picture_has_the_same_bytes(folder: Path):
    for name in ("a.svg", "b.svg"):
        run_here(*COMMANDS["explore"], "--figure", "boxes", "--out", name)
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("format", ["text", "exact", "json", "sql", "python", "c", "javascript", "csv", "tree", "svg"])
def test_a_tree_can_be_exported_in_every_format(format: str, folder: Path):
    outcome = run_here("export", "my model.vaglio", "--format", format)
    assert outcome.code == 0, outcome.err
    assert outcome.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "suffix"),
    [("logistic", ".csv"), ("perceptron", ".json"), ("bayes-net", ".svg"), ("ripper", ".py"), ("knn", ".onnx")],
)
def test_other_models_are_exported_by_suffix(learner: str, suffix: str, folder: Path):
    run_here("train", "my penguins.csv", "--target", "species", "--learner", learner, "--out", "m.vaglio")
    outcome = run_here("export", "m.vaglio", "--out", f"m{suffix}")
    assert outcome.code == 0, outcome.err
    assert Path(f"m{suffix}").stat().st_size > 100


def test_exported_coefficients_are_those_of_the_learner(folder: Path):
    X, y = vaglio.read("my penguins.csv", "species").xy()
    run_here(
        "train",
        "my penguins.csv",
        "--target",
        "species",
        "--learner",
        "svm",
        "--set",
        "kernel=linear",
        "-o",
        "m.vaglio",
    )
    run_here("export", "m.vaglio", "--out", "m.csv")
    own = vaglio.SVC(kernel="linear", random_state=0).fit(X, y).coefficients()
    assert np.allclose(pd.read_csv("m.csv")["coefficient"], own["coefficient"])


def test_explaining_rows_that_are_wrong(folder: Path):
    answer = json.loads(run_here("explain", "my model.vaglio", "my penguins.csv", "--wrong", "--json").out)
    table = vaglio.read("my penguins.csv")
    said = vaglio.load("my model.vaglio").predict(table)
    wrong = np.flatnonzero(said != table["species"]) + 1
    assert [item["row"] for item in answer["explanations"]] == wrong[:5].tolist()
    assert all(item["true"] != item["decision"] for item in answer["explanations"])


def test_explaining_given_rows(folder: Path):
    answer = json.loads(run_here("explain", "my model.vaglio", "my penguins.csv", "-r", "7", "-r", "2-3", "--json").out)
    assert [item["row"] for item in answer["explanations"]] == [7, 2, 3]


def test_costs_change_decisions(folder: Path):
    Path("costs.csv").write_text(",Adelie,Chinstrap,Gentoo\nAdelie,0,1,1\nChinstrap,500,0,500\nGentoo,1,1,0\n")
    run_here("predict", "my model.vaglio", "my penguins.csv", "--out", "plain.csv")
    run_here("predict", "my model.vaglio", "my penguins.csv", "--cost", "costs.csv", "--out", "dear.csv")
    plain, dear = (pd.read_csv(name)["predicted"] for name in ("plain.csv", "dear.csv"))
    assert (dear == "Chinstrap").sum() > (plain == "Chinstrap").sum()
    judged = run_here("evaluate", "my model.vaglio", "my penguins.csv", "--cost", "costs.csv", "--json")
    assert "mean cost per row" in judged.out


def test_a_column_that_is_ignored_is_not_in_the_cleaned_copy(folder: Path):
    (folder / "ignored.csv").write_text("a,b,y\n" + "".join(f"{at % 5},{at % 3},{'nj'[at % 2]}\n" for at in range(40)))
    outcome = run_here("audit", "ignored.csv", "-t", "y", "--ignore", "b", "--clean", "without.csv")
    assert (folder / "without.csv").read_text().splitlines()[0] == "a,y"
    assert "Ignored and not in the copy: 'b'." in outcome.err
    assert "--ignore" not in outcome.err.splitlines()[-1]


def test_a_cleaned_copy(folder: Path):
    table = pd.read_csv("my penguins.csv")
    pd.concat([table, table.head(10)]).to_csv("twice.csv", index=False)
    outcome = run_here("audit", "twice.csv", "-t", "species", "--clean", "once.csv", "--set", "duplicates=drop")
    assert outcome.code == 0, outcome.err
    assert len(pd.read_csv("once.csv")) == 344
    assert "Cleaned: " in outcome.err


@pytest.mark.slow
def test_more_is_said_when_asked(folder: Path):
    for name in ("audit", "evaluate", "select", "inspect", "tune"):
        brief, long = run_here(*COMMANDS[name]), run_here(*COMMANDS[name], "-v")
        assert len(long.out) + len(long.err) > len(brief.out) + len(brief.err), name


def test_classes_that_are_numbers_are_met_in_a_table_of_words(tmp_path: Path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("a,y\n" + "".join(f"{i % 10},{int(i % 10 > 4)}\n" for i in range(60)))
    test.write_text("a,y\n9,1\n1,0\n2,0\n")
    assert run_here("train", train, "--target", "y", "--out", tmp_path / "m.vaglio").code == 0
    answer = json.loads(run_here("evaluate", tmp_path / "m.vaglio", test, "--json", "--positive", "1").out)
    assert answer["confusion"] == [[2, 0], [0, 1]]


def test_a_model_made_in_python_knows_its_dates(tmp_path: Path):
    days = pd.date_range("2024-01-01", periods=60)
    X = pd.DataFrame({"when": days, "n": np.arange(60) % 7})
    vaglio.C45Classifier().fit(X, np.where(days < "2024-02-01", "early", "late")).save(tmp_path / "m.vaglio")
    (tmp_path / "new.csv").write_text("when,n\n2024-01-05,1\n2024-02-20,1\n")
    outcome = run_here("predict", tmp_path / "m.vaglio", tmp_path / "new.csv", "--json")
    assert [json.loads(line)["predicted"] for line in outcome.out.splitlines()] == ["early", "late"]
    words = pd.DataFrame({"when": ["2024-02-20"], "n": [1]})
    assert vaglio.load(tmp_path / "m.vaglio").predict(words).tolist() == ["late"]


@pytest.mark.parametrize("words", [("no", "yes"), ("False", "True"), ("N", "Y")])
def test_yes_and_no_are_read_alike_in_training_and_later(words: tuple[str, str], tmp_path: Path):
    no, yes = words
    train = tmp_path / "train.csv"
    train.write_text("a,y\n" + "".join(f"{(no, yes)[i % 2]},{'pq'[i % 2]}\n" for i in range(20)))
    assert run_here("train", train, "--target", "y", "--out", tmp_path / "m.vaglio").code == 0
    for spelt in (str.lower, str.upper, str.title):
        (tmp_path / "new.csv").write_text(f"a\n{spelt(yes)}\n{spelt(no)}\n")
        outcome = run_here("predict", tmp_path / "m.vaglio", tmp_path / "new.csv", "--json")
        assert [json.loads(line)["predicted"] for line in outcome.out.splitlines()] == ["q", "p"]


def test_words_spelt_in_several_ways_in_training(tmp_path: Path):
    train = tmp_path / "train.csv"
    spelt = ["Yes", "YES", "yes", "No", "TRUE"[:0] or "no"]
    train.write_text(
        "a,b,y\n" + "".join(f"{spelt[i % 5]},{['True', 'TRUE', 'false'][i % 3]},{'pq'[i % 5 > 2]}\n" for i in range(60))
    )
    outcome = run_here("train", train, "--target", "y", "--out", tmp_path / "m.vaglio")
    assert "in several ways" in outcome.err
    predicted = run_here("predict", tmp_path / "m.vaglio", train, "--json")
    assert predicted.code == 0, predicted.err
    said = [json.loads(line) for line in predicted.out.splitlines()]
    assert all(row["predicted"] == row["y"] for row in said)


def test_every_bundled_table_can_be_audited_and_explored(tmp_path: Path):
    for name in ("play", "penguins"):
        path = tmp_path / f"{name}.csv"
        run_here("datasets", name, "--out", path)
        target = datasets.describe(name).target
        for command in ("audit", "explore"):
            assert run_here(command, path, "--target", target).code == 0


def test_a_column_whose_name_is_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("0,1,2\n" + "".join(f"{'pq'[i % 2]},{i % 7},{i % 5}\n" for i in range(30)))
    read_names = ["--read", "header=true"]
    for target in ("0", "-3"):
        outcome = run_here("train", "t.csv", "--target", target, *read_names, "--out", "m.vaglio", "--json")
        assert json.loads(outcome.out)["target"] == "0"
    assert run_here("evaluate", "m.vaglio", "t.csv", *read_names).code == 0
    assert "Row 1, " in run_here("explain", "m.vaglio", "t.csv", *read_names).out
    named = run_here("train", "t.csv", "--target", "2", *read_names, "--out", "m.vaglio", "--json")
    assert json.loads(named.out)["target"] == "2"


def test_tables_through_a_pipe(folder: Path, monkeypatch: pytest.MonkeyPatch):
    import io

    for words in (
        ["evaluate", "my model.vaglio", "-"],
        ["explain", "my model.vaglio", "-"],
        ["train", "-", "-t", "species"],
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("my penguins.csv").read_bytes())))
        outcome = run_here(*words)
        assert outcome.code == 0, outcome.err
        assert "TABLE" in outcome.err
