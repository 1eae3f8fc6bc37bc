"""Model files of the first edition are still read: one file per kind of model, with the predictions recorded then.

The files were written by version 0.1.0 on a few rows of the bundled tables. ``predictions-0.1.0.json`` holds, for each,
some rows and what version 0.1.0 predicted for them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.model.families import KINDS

SAVED = Path(__file__).parent.parent / "saved"
RECORDED: dict[str, dict[str, Any]] = json.loads((SAVED / "predictions-0.1.0.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_saved_model_predicts_and_explains_as_it_did(name: str) -> None:
    model, recorded = vaglio.load(SAVED / f"{name}-0.1.0.vaglio"), RECORDED[name]
    assert (model.learner, model.model.kind) == (name, recorded["kind"])
    assert [str(label) for label in model.predict(recorded["rows"])] == recorded["predicted"]
    np.testing.assert_allclose(model.predict_proba(recorded["rows"]), recorded["probabilities"], rtol=1e-12, atol=1e-15)
    explanation = model.explain(recorded["rows"][:1])[0]
    assert str(explanation.decision) == recorded["predicted"][0]
    assert explanation.reasons or explanation.notes


def test_every_kind_of_the_first_edition_has_a_saved_file() -> None:
    saved = {recorded["kind"] for recorded in RECORDED.values()}
    assert saved <= set(KINDS)
    assert {path.name for path in SAVED.glob("*.vaglio")} == {f"{name}-0.1.0.vaglio" for name in RECORDED}


def test_the_old_spelling_of_a_parameter_value_is_kept_as_it_was_stored() -> None:
    # Version 0.1.0 wrote missing="learnt". Parameters in a file are a record: nothing is rebuilt from them.
    assert vaglio.load(SAVED / "cart-0.1.0.vaglio").params["missing"] == "learnt"
