"""``vaglio inspect``, and model files that are damaged."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here


def test_inspect_shows_what_the_file_holds(model):
    outcome = run_here("inspect", model)
    assert outcome.code == 0
    for word in ("c45", "Adelie, Chinstrap, Gentoo", "344 rows", "bill_length_mm", "Biscoe, Dream, Torgersen"):
        assert word in outcome.out
    data = json.loads(run_here("inspect", model, "--json").out)
    assert data["learner"] == "c45"
    assert data["provenance"]["training"]["rows"] == 344


@pytest.mark.parametrize("command", ["inspect", "rules"])
def test_a_damaged_model_is_refused(model, tmp_path, command):
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged = tmp_path / "damaged.vaglio"
    damaged.write_bytes(content)
    outcome = run_here(command, damaged)
    assert outcome.code == 1
    assert "damaged" in outcome.err
