"""The command: it says where the work is, prints an address that works once, and ends when asked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from vaglio.errors import InputError
from vaglio.studio.project.folder import Project, project_lock


@pytest.mark.slow
def test_the_studio_opens_a_table_and_ends_when_asked(tmp_path: Path):
    command = [sys.executable, "-m", "vaglio", "studio", "play", "--no-browser", "--project", str(tmp_path / "work")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as studio:
        assert studio.stderr is not None
        said = [studio.stderr.readline(), studio.stderr.readline()]
        assert str(tmp_path / "work") in said[0]
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", said[1])[0]
        with httpx.Client(follow_redirects=True) as browser:
            page = browser.get(address)
            assert page.status_code == 200
            assert "The target is play" in page.text
            assert httpx.get(address).status_code == 401
            origin = address.partition("/?")[0]
            assert "has stopped" in browser.post(f"{origin}/end", headers={"origin": origin}).text
        assert studio.wait(60) == 0
        assert str(tmp_path / "work") in studio.stderr.read()
    assert Project(tmp_path / "work").state.name == "play"


@pytest.mark.slow
def test_a_file_that_is_not_there_is_one_line(tmp_path: Path):
    command = [
        sys.executable,
        "-m",
        "vaglio",
        "studio",
        "nowhere.csv",
        "--no-browser",
        "--project",
        str(tmp_path / "w"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr == "vaglio: There is no file nowhere.csv.\n"


@pytest.mark.slow
def test_one_studio_at_a_time_works_in_a_folder(tmp_path: Path):
    project = Project(tmp_path / "work")
    with project_lock(project):
        command = [sys.executable, "-m", "vaglio", "studio", "--no-browser", "--project", str(project.folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 1
        assert done.stderr.startswith(f"vaglio: Another studio is using {project.folder}. ")
        with pytest.raises(InputError, match="Another studio"), project_lock(Project(project.folder)):
            pass
    with project_lock(Project(project.folder)):  # it is free again
        pass
