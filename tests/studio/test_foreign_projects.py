"""Project folders that somebody else has made: nothing outside is opened, and every answer is a page."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tools.fuzz.mutate import change_plain, similar

from vaglio.errors import InputError
from vaglio.messages.stored import restored
from vaglio.studio.project.folder import Project, project_lock

SECRET = "a;secret\n1;2\n3;4\n"
PAGES = ("table", "explore", "learn", "compare", "understand", "trace", "exercises", "export")


def project_file(name: str, **choices: Any) -> dict[str, Any]:
    """Return what a studio writes after some work on a table."""
    steps: list[dict[str, Any]] = [
        {"do": "open", "name": name},
        {"do": "target", "column": "play"},
        {"do": "level", "column": "outlook", "level": ["rainy", "overcast", "sunny"]},
        {"do": "role", "column": "windy", "role": "ignored"},
        {"do": "missing", "words": ["-9"]},
        {"do": "clean", "finding": "duplicates", "choice": "drop"},
    ]
    form = {"learners": ["c45"], "params": {"c45": {"max_depth": "3"}}, "plan": "folds_5", "seed": 1}
    return {
        "version": 1,
        "next": len(steps) + 1,
        "steps": [{"id": number, **step} for number, step in enumerate(steps, 1)],
        "choices": {"learn": {**form, "costs": {}, "way": {"kind": "fixed"}, **choices}},
    }


def write_project(folder: Path, data: Any) -> None:
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    rows = [
        "outlook,windy,play",
        *(f"{['sunny', 'rainy', 'overcast'][i % 3]},{i % 2},{'yn'[i % 4 > 1]}" for i in range(20)),
    ]
    (folder / "tables" / "play.csv").write_text("\n".join(rows))
    (folder / "project.json").write_text(json.dumps(data))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", "..", ".", "", "play.csv/../../secret.csv", "link.csv", "a\0b", "linked/x"]
)
def test_a_step_opens_no_file_outside_the_project(
    enter: Callable[..., Any], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.csv").write_text(SECRET)
    folder = tmp_path / "project"
    write_project(folder, project_file(name))
    (folder / "tables" / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "tables" / "linked").symlink_to(tmp_path)
    visitor = enter(folder)
    for page in PAGES:
        answer = visitor.get(f"/{page}")
        assert answer.status_code < 500, (name, page)
        assert "secret" not in answer.text.replace("secret.csv", ""), (name, page)


@pytest.mark.slow
def test_every_change_of_a_project_file_is_one_sentence_or_a_page(enter: Callable[..., Any], tmp_path: Path) -> None:
    refused = opened = 0
    for attempt in range(40):
        random = Random(f"project {attempt}")
        data = copy.deepcopy(project_file("play.csv"))
        for _ in range(random.choice((1, 1, 3))):
            data = change_plain(random, data) if random.random() < 0.6 else _nearly(random, data)
        folder = tmp_path / f"{attempt}"
        write_project(folder, data)
        try:
            visitor = enter(folder)
        except InputError as error:
            refused += 1
            assert str(error)
            continue
        opened += 1
        for page in ("table", "learn"):
            answer = visitor.get(f"/{page}")
            assert answer.status_code < 500, (attempt, page, data, answer.text[-1000:])
    assert refused
    assert opened


def _nearly(random: Random, data: Any) -> Any:
    """Return plain data with one value changed into another one of its type."""
    inside, key = data, random.choice(sorted(data))
    while isinstance(inside[key], (dict, list)) and inside[key]:
        inside = inside[key]
        key = random.choice(sorted(inside)) if isinstance(inside, dict) else random.randrange(len(inside))
    inside[key] = similar(random, inside[key])
    return data


@pytest.mark.parametrize(
    "message",
    [
        ["", "{n:>9999999999}", {"n": 1}],
        ["", "{n.__class__}", {"n": 1}],
        ["", "{n[0]}", {"n": [1]}],
        ["", "{0}", {}],
        ["", "{n!r:{n}}", {"n": 1}],
        [1, "x", {}],
        ["", "{", {}],
        ["", ["x"], {}],
        ["", "{n}", None],
        ["x"],
    ],
)
def test_a_message_of_a_project_file_runs_no_format_but_its_own(message: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        restored({"$message": message})


def test_a_killed_upload_frees_its_name(enter: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    with project_lock(Project(folder)):
        (folder / "tables" / "rows.csv.part").write_text("a,b\n1")
    with project_lock(Project(folder)):
        assert enter(folder).upload("rows.csv", "a,b\n1,x\n2,y\n").status_code == 204
    assert [path.name for path in (folder / "tables").iterdir()] == ["rows.csv"]
