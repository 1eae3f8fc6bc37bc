"""The examples of docs/serve.md are answered as the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import vaglio
from vaglio.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def _rounded(text: str) -> Any:
    """Read JSON, its numbers without the digits in which processors differ."""
    return json.loads(text, parse_float=lambda number: float(f"{float(number):.9g}"))


@pytest.mark.parametrize(
    ("page", "count", "name", "options"),
    [
        ("serve.md", 3, "penguins", ["--learner", "c45", "--folds", "3"]),
        ("tutorial/numbers.md", 1, "mass", ["--target", "body_mass_g", "--learner", "linear", "--folds", "10"]),
    ],
)
def test_the_examples_are_answered_as_the_page_shows(
    serve, tmp_path: Path, page: str, count: int, name: str, options: list[str]
):
    path = tmp_path / f"{name}.vaglio"
    with pytest.raises(SystemExit):
        main(["train", "penguins", *options, "--out", str(path)])
    client, _ = serve(models=((name, path),))
    text = (PAGE.parent / page).read_text(encoding="utf-8")
    examples = re.findall(r"```sh\ncurl http://127\.0\.0\.1:8000(\S+) (.*?)```\n\n```json\n(.*?)```", text, re.DOTALL)
    assert len(examples) == count
    for address, given, shown in examples:
        body = re.search(r"-d '(.*)'", given, re.DOTALL)
        assert body is not None
        answer = client.post(address, content=body[1], headers={"content-type": "application/json"}).text
        assert _rounded(answer) == _rounded(shown), answer


@pytest.mark.parametrize(
    "option", ["--token-file", "--max-body", "--processes", "--watch", "--log-rows", "--allow-host"]
)
def test_options_of_the_page_exist(option: str):
    command = (Path(vaglio.__file__).parent / "cli" / "commands" / "serve.py").read_text(encoding="utf-8")
    assert option in PAGE.read_text(encoding="utf-8")
    assert option in command or option.lstrip("-").replace("-", "_") in command
