"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import pathlib
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from vaglio.errors import InputError
from vaglio.runtime.files import check_writable, replacing, write_whole


def test_a_file_is_replaced_when_the_body_ends_well(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, FileNotFoundError])
def test_a_body_that_raises_changes_nothing(tmp_path: Path, error: type[BaseException]):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_ctrl_c_at_any_line_leaves_the_old_file_or_the_new_one_and_no_other(tmp_path: Path):
    path = tmp_path / "a.txt"
    files, before = replacing.__wrapped__.__code__.co_filename, sys.gettrace()  # type: ignore[attr-defined]
    interrupted, nth = True, 0
    while interrupted:
        path.write_text("old\n")
        interrupted, left, nth = False, nth, nth + 1

        def press(frame: FrameType, event: str, _: object) -> Any:
            nonlocal interrupted, left
            # Python looks for signals between lines, and when a call into the system is over.
            looked = frame.f_code.co_filename == files and event == "line"
            if looked or (frame.f_code.co_filename == pathlib.__file__ and event == "return"):
                left -= 1
                if left < 0 and not interrupted:
                    interrupted = True
                    raise KeyboardInterrupt
            return press

        sys.settrace(press)
        try:
            write_whole(path, "new")
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert path.read_text() in ("old\n", "new\n"), nth
        assert list(tmp_path.iterdir()) == [path], nth
    assert nth > 30


def test_a_file_that_cannot_be_replaced_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # As on Windows, when another program has the file open.
    path = tmp_path / "a.txt"
    path.write_text("old")

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"a.txt cannot be written: access is denied"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path: Path):
    with pytest.raises(InputError, match=r"a.txt was not written: the disk is full"), replacing(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_written_files_have_the_usual_permissions(tmp_path: Path):
    write_whole(tmp_path / "a.txt", "a")
    (tmp_path / "b.txt").write_text("b")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_text_ends_in_a_line_break_and_bytes_stay(tmp_path: Path):
    write_whole(tmp_path / "a", "è")
    write_whole(tmp_path / "b", b"\x00")
    assert (tmp_path / "a").read_bytes() == "è\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\x00"


def test_folders_cannot_be_written_as_files(tmp_path: Path):
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(tmp_path / "no" / "a.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_device_is_written_to(tmp_path: Path):
    write_whole(os.devnull, "anything")
    assert not Path(os.devnull).is_file()
