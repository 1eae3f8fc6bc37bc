"""Workflow files, hooks and pyproject.toml agree with one another and with the Makefile."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Everything in which a person or a machine is told to call make.
INSTRUCTIONS = [
    *WORKFLOWS,
    ROOT / ".pre-commit-config.yaml",
    ROOT / ".ci/run",
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", "ARCHITECTURE.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _supported_pythons() -> list[str]:
    prefix = "Programming Language :: Python :: "
    versions = [line.removeprefix(prefix) for line in PROJECT["project"]["classifiers"] if line.startswith(prefix)]
    return [version for version in versions if "." in version]


def _name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_each_job_has_a_machine_a_time_limit_and_sound_steps(path: Path):
    jobs = _load(path)["jobs"]
    assert jobs
    for name, job in jobs.items():
        assert {"runs-on", "timeout-minutes", "steps"} <= set(job), name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), f"{name}: a step runs a command or uses an action: {step}"
            assert "run" in step or re.fullmatch(r"[\w-]+/[\w-]+@v\d[\w.]*", step["uses"]), (
                f"{name}: an action needs its version: {step['uses']}"
            )


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_a_workflow_may_only_read_the_repository(path: Path):
    assert _load(path)["permissions"] == {"contents": "read"}


def test_the_matrix_covers_the_declared_versions_and_systems():
    matrix = _load(ROOT / ".github/workflows/test.yml")["jobs"]["matrix"]["strategy"]["matrix"]
    assert matrix["python"] == _supported_pythons()
    assert {system.split("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}


def test_the_lowest_version_is_the_same_everywhere():
    lowest = _supported_pythons()[0]
    assert PROJECT["project"]["requires-python"] == f">={lowest}"
    assert PROJECT["tool"]["mypy"]["python_version"] == lowest
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"


def test_wheels_are_built_for_the_declared_versions():
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in _supported_pythons()]


def test_hooks_use_the_tools_of_the_environment_and_fetch_nothing():
    repositories = _load(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    for hook in repositories[0]["hooks"]:
        assert hook["language"] == "system", hook["id"]
        assert hook["entry"].startswith(".venv/bin/"), hook["id"]


@pytest.mark.parametrize("path", INSTRUCTIONS, ids=_name)
def test_every_target_of_make_that_is_named_exists(path: Path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, flags=re.MULTILINE))
    # A call of make starts a line, or stands in backquotes, or follows `run:` in a workflow.
    named = set(
        re.findall(r"(?:^\s*|`|run: )make ([a-z][a-z-]*)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    assert named - targets == set()
