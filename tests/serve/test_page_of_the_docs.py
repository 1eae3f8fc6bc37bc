"""The examples of docs/serve.md are answered as the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import vaglio
from vaglio.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def test_the_examples_are_answered_as_the_page_shows(serve, tmp_path: Path):
    path = tmp_path / "penguins.vaglio"
    with pytest.raises(SystemExit):
        main(["train", "penguins", "--learner", "c45", "--folds", "3", "--out", str(path)])
    client, _ = serve(models=(("penguins", path),))
    text = PAGE.read_text(encoding="utf-8")
    examples = re.findall(r"```sh\ncurl http://127\.0\.0\.1:8000(\S+) (.*?)```\n\n```json\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    for address, options, shown in examples:
        body = re.search(r"-d '(.*)'", options, re.DOTALL)
        assert body is not None
        answer = client.post(address, content=body[1], headers={"content-type": "application/json"}).json()
        expected = json.loads(shown)
        assert answer == expected, json.dumps(answer)


@pytest.mark.parametrize(
    "option", ["--token-file", "--max-body", "--processes", "--watch", "--log-rows", "--allow-host"]
)
def test_options_of_the_page_exist(option: str):
    command = (Path(vaglio.__file__).parent / "cli" / "commands" / "serve.py").read_text(encoding="utf-8")
    assert option in PAGE.read_text(encoding="utf-8")
    assert option in command or option.lstrip("-").replace("-", "_") in command
