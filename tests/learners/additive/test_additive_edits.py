"""What an expert changes in an additive model: the scores, the provenance, the file; what is refused; what is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learners.additive.test_additive import SMALL, mixed

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.additive.model.forms import segments, term_shape


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    return vaglio.ExplainableBoostingClassifier(**SMALL | {"interactions": [("a", "b")]}).fit(X, y).fitted_


def table(fitted, term):
    names = [fitted.model.name_of(t) for t in range(fitted.model.n_terms)]
    return fitted.model.table(names.index(term))[..., 0]


def scores(fitted, X):
    return fitted.model.raw(fitted.codebook.encode(X))[:, 0]


def test_flatten_gives_the_mean_by_weight(fitted):
    flat = fitted.edit("a", "flatten", where=(-0.5, 0.5))
    cuts, before, after = fitted.model.cuts_of(0), table(fitted, "a"), table(flat, "a")
    inside = np.append((np.append(cuts, np.inf) > -0.5) & (np.append(-np.inf, cuts) < 0.5), False)
    weight = fitted.model.table(0, "weights")
    assert after[inside] == pytest.approx(np.average(before[inside], weights=weight[inside]))
    np.testing.assert_array_equal(after[~inside], before[~inside])
    assert np.ptp(table(fitted.edit("a & b", "flatten"), "a & b")) == 0


@pytest.mark.parametrize("direction", [1, -1, None])
def test_monotone_is_the_nearest_monotone_function(fitted, direction):
    edited = fitted.edit("b", "monotone", direction=direction)
    steps = np.diff(table(edited, "b")[:-1])
    assert (steps * (direction or 1) >= 0).all()  # without a direction, the one that the data have
    weight = fitted.model.table(1, "weights")[:-1]
    kept = np.average(table(fitted, "b")[:-1], weights=weight)
    assert np.average(table(edited, "b")[:-1], weights=weight) == pytest.approx(kept, abs=1e-9)


def test_set_and_remove(fitted):
    X, _ = mixed()
    changed = fitted.edit("shop", "set", where="west", value=3.0).edit("shop", "set", where="missing", value=-1.0)
    west = X["shop"] == "west"
    gained = scores(changed, X) - scores(fitted, X)
    np.testing.assert_allclose(gained[west], 3.0 - table(fitted, "shop")[2], atol=1e-9)
    np.testing.assert_allclose(gained[X["shop"].isin(["north", "south"])], 0, atol=1e-12)
    without = fitted.edit("shop", "remove")
    assert without.model.n_terms == fitted.model.n_terms - 1
    known = {"north": 0, "south": 1, "west": 2}
    lost = table(fitted, "shop")[[known.get(shop, 3) for shop in X["shop"]]]
    np.testing.assert_allclose(scores(without, X), scores(fitted, X) - lost, atol=1e-9)


def test_a_removed_column_does_not_count_through_its_pairs(fitted):
    X, _ = mixed()
    without = fitted.edit("a", "remove", reason="may not count")
    np.testing.assert_array_equal(scores(without, X.assign(a=X["a"].to_numpy()[::-1])), scores(without, X))
    assert without.edits[0]["pairs"] == [{"term": "a & b"}]
    assert without.edits_in_words() == ["a: remove with 1 pair: a & b (may not count)"]


@pytest.mark.parametrize("term", ["a", "b"])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_monotone_column_is_monotone_beside_every_value_of_its_pair(fitted, term, direction):
    X, _ = mixed()
    edited = fitted.edit(term, "monotone", direction=direction)
    values = np.append(-np.inf, fitted.model.cuts_of(["a", "b"].index(term))) + 1e-6
    values[0] = -1e6
    for row in range(20):
        rows = X.iloc[[row] * len(values)].assign(**{term: values})
        assert (np.diff(scores(edited, rows)) * direction >= -1e-12).all()
    pair = edited.edits[0]["pairs"][0]
    assert pair["term"] == "a & b"
    assert np.shape(pair["before"]) == np.shape(pair["after"]) == (table(fitted, "a & b").size, 1)


def test_edits_are_kept_with_their_scores_in_the_file(fitted, tmp_path):
    edited = fitted.edit("a", "monotone", direction=-1, reason="by law").edit("size", "remove").with_intercept([0.5])
    edited.save(tmp_path / "model")
    again = vaglio.load(tmp_path / "model")
    assert [(edit["term"], edit["action"]) for edit in again.edits] == [
        ("a", "monotone"),
        ("size", "remove"),
        ("(start)", "set"),
    ]
    first = again.edits[0]
    assert first["reason"] == "by law"
    np.testing.assert_allclose(np.ravel(first["before"]), table(fitted, "a"))
    np.testing.assert_allclose(np.ravel(first["after"]), table(again, "a"))
    assert "edited by hand" in repr(again)
    assert fitted.edits == []
    X, _ = mixed()
    np.testing.assert_array_equal(again.predict_proba(X), edited.predict_proba(X))


@pytest.mark.parametrize(
    ("term", "action", "options", "why"),
    [
        ("q", "remove", {}, "no term 'q'"),
        (99, "remove", {}, "no term 99"),
        ("a", "melt", {}, "no edit 'melt'"),
        ("a", "set", {}, "needs value="),
        ("a", "flatten", {"value": 1.0}, "needs value="),
        ("a", "remove", {"where": (0, 1)}, "as a whole"),
        ("a", "flatten", {"where": (1, -1)}, "empty"),
        ("shop", "flatten", {"where": (0, 1)}, "'shop', give a value"),
        ("shop", "set", {"where": "east", "value": 1.0}, "no value 'east'"),
        ("shop", "monotone", {}, "can be made monotonic"),
        ("a & b", "set", {"where": "x", "value": 1.0}, "is a pair"),
        ("a", "monotone", {"direction": 2}, "1 or -1"),
        ("a", "set", {"value": np.inf}, "finite"),
        ("a", "set", {"value": 1e301}, "too large"),
        ("a", "flatten", {"label": "perhaps"}, "no score for the class"),
    ],
)
def test_what_cannot_be_done_is_said(fitted, term, action, options, why):
    with pytest.raises(InputError, match=why):
        fitted.edit(term, action, **options)


def test_other_models_have_no_terms():
    model = vaglio.C45Classifier().fit(*vaglio.datasets.load("play").xy("play")).fitted_
    with pytest.raises(NotSupportedError, match="additive model"):
        model.edit("outlook", "remove")
    with pytest.raises(InputError, match="additive models"):
        vaglio.TermDisplay.from_estimator(model, "outlook")


def test_an_estimator_is_edited_in_place():
    X, y = mixed()
    model = vaglio.ExplainableBoostingClassifier(**SMALL | {"interactions": 0}).fit(X, y)
    assert model.edit("a", "remove").term_names_ == ["b", "shop", "size"]


@pytest.mark.parametrize(("term", "form"), [("a", "steps"), ("shop", "values"), ("size", "values"), ("a & b", "cells")])
def test_every_form_of_a_term_is_drawn(fitted, term, form):
    display = vaglio.TermDisplay.from_estimator(fitted, term)
    assert display.shape.form == form
    assert display.ax_.has_data()


def test_a_drawing_of_a_few_steps_keeps_the_scores(fitted):
    shape = term_shape(fitted.model, 0, most=10)
    assert len(shape.scores) <= 10
    assert (np.diff(shape.edges) > 0).all()
    scores, weights = table(fitted, "a")[:-1], fitted.model.table(0, "weights")[:-1]
    assert (shape.scores[:, 0] @ shape.weights) == pytest.approx(scores @ weights, abs=1e-9)
    assert segments(np.array([[0.0], [0.0], [1.0]]), np.ones(3), 9) == [(0, 2), (2, 3)]


def test_the_text_names_every_term_and_the_sql_every_cut(fitted):
    text = fitted.export("text")
    assert all(fitted.model.name_of(t) in text for t in range(fitted.model.n_terms))
    statement = fitted.to_sql()
    assert statement.count("CASE") >= fitted.model.n_terms
    assert 'OR "b" IS NULL' not in statement
