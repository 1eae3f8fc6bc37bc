"""Model files of every version are still read: one file per kind of model, with the predictions recorded then.

The files were written by the version in their name, on a few rows of bundled tables (``tools/saved_models.py``).
``predictions-VERSION.json`` holds, for each, some rows and what that version predicted for them.
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
RECORDED: dict[str, dict[str, Any]] = {
    f"{name}-{path.stem.removeprefix('predictions-')}": {"learner": name, **recorded}
    for path in sorted(SAVED.glob("predictions-*.json"))
    for name, recorded in json.loads(path.read_text(encoding="utf-8")).items()
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_saved_model_predicts_and_explains_as_it_did(name: str) -> None:
    model, recorded = vaglio.load(SAVED / f"{name}.vaglio"), RECORDED[name]
    assert (model.learner, model.model.kind) == (recorded["learner"], recorded["kind"])
    assert model.provenance["version"] == name.rpartition("-")[2]
    found, expected = model.predict(recorded["rows"]), recorded["predicted"]
    explanation = model.explain(recorded["rows"][:1])[0]
    if model.classes is None:
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert explanation.decision == pytest.approx(expected[0])
    else:
        assert [str(label) for label in found] == expected
        assert str(explanation.decision) == expected[0]
    if recorded["probabilities"] is not None:
        chances = model.predict_proba(recorded["rows"])
        np.testing.assert_allclose(chances, recorded["probabilities"], rtol=1e-12, atol=1e-15)
    assert explanation.reasons or explanation.against or explanation.notes


def test_every_kind_of_an_earlier_version_has_a_saved_file() -> None:
    assert {recorded["kind"] for recorded in RECORDED.values()} <= set(KINDS)
    assert {path.stem for path in SAVED.glob("*.vaglio")} == set(RECORDED)


def test_the_old_spelling_of_a_parameter_value_is_kept_as_it_was_stored() -> None:
    # Version 0.1.0 wrote missing="learnt". Parameters in a file are a record: nothing is rebuilt from them.
    assert vaglio.load(SAVED / "cart-0.1.0.vaglio").params["missing"] == "learnt"
