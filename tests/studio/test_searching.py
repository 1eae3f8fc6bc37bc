"""Parameters that are searched, and learners that are chosen: honest figures, every row where it belongs."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.studio.pages.inside import evaluated_positions
from vaglio.studio.pages.runs import learned_models


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "models"),
    [
        ({"way": "tune", "candidates": "3", "plan": "holdout_30", "strategy": "validation"}, {"c45", "naive-bayes"}),
        ({"way": "choose", "candidates": "1", "plan": "folds_3"}, None),
    ],
)
def test_a_search_leaves_models_with_their_rows_and_what_was_tried(enter, fields, models):
    visitor = enter()
    visitor.open("penguins")
    name = visitor.learn_here("c45", "naive-bayes", **fields)
    opened = visitor.studio.bench.need_table()
    found = learned_models(visitor.studio.jobs, opened)
    assert {each.id for each in found} == models if models else len(found) == 1
    for model in found:
        at, evaluation = evaluated_positions(model, opened), model.evaluation()
        true = [evaluation.labels[code] for code in evaluation.true]
        assert opened.table.xy()[1][at].tolist() == true
        assert len(at) == (103 if fields["plan"] == "holdout_30" else 344)
        assert 1 < len(model.facts["trials"]) <= 4
        scores = [trial["score"] for trial in model.facts["trials"]]
        assert scores == sorted(scores, reverse=True)
        assert np.isfinite(scores).all()
        assert visitor.get(f"/understand?model={name}/{model.id}").status_code == 200
    page = visitor.get("/learn").text
    assert "Candidates tried" in page
    assert ("parameters searched" if models else "selected among the learners") in page
    # What was chosen is there when the page is opened again.
    assert f'id="way-{fields["way"]}" value="{fields["way"]}" checked' in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"candidates": "0"}, "The number of candidates must be an integer between 1 and 200."),
        ({"candidates": "many"}, "The number of candidates must be an integer between 1 and 200."),
        ({"strategy": "validation", "plan": "folds_3"}, "A validation set cannot be combined with cross-validation."),
        ({"way": "magic"}, "Reload the page."),
    ],
)
def test_wrong_choices_are_said_beside_the_search(enter, fields, sentence):
    visitor = enter()
    visitor.open("play")
    given = {"learner": ["c45"], "plan": "holdout_30", "seed": "0", "way": "tune", **fields}
    answer = visitor.post("/learn/start", **given)
    assert answer.status_code == 422
    assert 'id="problem-way"' in answer.text
    assert sentence in answer.text
    assert visitor.studio.jobs.all("learn") == []
