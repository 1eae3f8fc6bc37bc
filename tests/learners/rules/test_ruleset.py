"""Rule sets written by hand: statistics, resolutions, text, files, simplification."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.rule_trees import FEATURES, random_matrix, random_tree, records
from tests.tables import PLAY_X, PLAY_Y

from vaglio import RuleSet
from vaglio.encode import Feature
from vaglio.errors import InputError, ModelFileError
from vaglio.fitted import Fitted
from vaglio.learners.rules.model.simplify import pessimistic_error
from vaglio.learners.trees.model.rules import rules_of_tree
from vaglio.model.condition import MissingCondition, RangeCondition, SetCondition, merge_conditions
from vaglio.model.costs import CostMatrix

X, Y = PLAY_X.to_dict("records"), PLAY_Y
TEXT = """
COLUMN outlook: overcast, rain, sunny
IF outlook = sunny AND humidity = high THEN N
IF outlook = rain AND windy = "true" THEN N
IF outlook = overcast THEN P
ELSE P
"""


def test_statistics_on_the_play_table():
    rules = RuleSet.parse(TEXT).evaluate_on(X, Y)
    sunny = rules[0]
    assert (sunny.positives, sunny.negatives) == (3, 0)
    assert sunny.coverage == pytest.approx(3 / 14)
    assert sunny.accuracy == 1
    assert sunny.class_coverage == pytest.approx(3 / 5)
    assert sunny.lift == pytest.approx(14 / 5)
    assert rules.score(X, Y) == 1
    assert len(rules) == 3
    assert str(rules).splitlines()[0] == "IF outlook = sunny AND humidity = high THEN N  [3 of 3]"
    assert rules.to_frame().loc[2, "class_coverage"] == pytest.approx(4 / 9)


def test_a_person_may_change_a_label():
    rules = RuleSet.parse(TEXT).refit(X, Y)
    assert rules.default == (0, 5)
    edited = RuleSet.parse(rules.to_text().replace("THEN P", "THEN N"))
    assert edited.predict([{"outlook": "overcast", "humidity": "high", "windy": "true"}]).tolist() == ["N"]
    assert edited[2].covered == (0, 4)


@pytest.mark.parametrize(
    ("resolution", "expected"), [("first", "a"), ("vote", "b"), ("specific", "c"), ("quality", "b")]
)
def test_resolutions(resolution, expected):
    rules = RuleSet.parse(
        f"""CLASSES a, b, c
        CHOOSE {resolution}
        ROWS [a 20, b 40, c 40]
        IF x > 0 THEN a [a 8, b 4]
        IF y > 0 THEN b [b 30, c 2]
        IF x > 0 AND y > 0 THEN c [a 1, c 2]
        ELSE c"""
    )
    assert rules.predict([{"x": 1.0, "y": 1.0}]).tolist() == [expected]
    assert rules.predict([{"x": None, "y": -1.0}]).tolist() == ["c"]
    assert rules.predict_proba([{"x": None, "y": -1.0}]).sum() == 1


def test_vote_sums_the_covered_weights_and_smoothing_draws_them_to_the_prior():
    text = "CLASSES a, b\nCHOOSE vote\nSMOOTHING {}\nROWS [a 3, b 9]\n"
    text += "IF x > 0 THEN a [a 3, b 1]\nIF y > 0 THEN b [b 4]\nELSE b [b 5]"
    row = [{"x": 1.0, "y": 1.0}]
    np.testing.assert_allclose(RuleSet.parse(text.format("none")).predict_proba(row), [[3 / 8, 5 / 8]])
    np.testing.assert_allclose(RuleSet.parse(text.format("laplace")).predict_proba(row), [[5 / 12, 7 / 12]])
    m = RuleSet.parse(text.format("m-estimate 4")).predict_proba(row)
    np.testing.assert_allclose(m, [[5 / 16, 11 / 16]])


def test_overlap_and_minimal_cover():
    rules = RuleSet.parse("IF x > 0 THEN a\nIF x > 1 THEN a\nIF x <= 0 THEN b\nIF y > 0 THEN b\nELSE b")
    table = [{"x": float(v), "y": float(v == -2)} for v in (-2, -1, 1, 2)]
    assert rules.overlap(table).tolist() == [[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 2, 1], [0, 0, 1, 1]]
    kept = rules.minimal_cover(table, ["b", "b", "a", "a"])
    assert [str(rule) for rule in kept] == ["IF x > 0 THEN a", "IF x <= 0 THEN b"]


def test_merging():
    x, c = Feature("x"), Feature("c", "nominal", ("p", "q", "r"))
    low, lower = RangeCondition(0, x, low=3, missing=0.5), RangeCondition(0, x, low=5, missing=0.5)
    assert merge_conditions([low, lower]) == (RangeCondition(0, x, low=5, missing=0.25),)
    assert merge_conditions([low, RangeCondition(0, x, high=3, missing=1.0)]) == (MissingCondition(0, x, 0.5),)
    assert merge_conditions([SetCondition(1, c, {0}), SetCondition(1, c, {1})]) is None
    assert merge_conditions([SetCondition(1, c, {0, 1, 2}, missing=1.0)]) == ()
    assert str(merge_conditions([low, RangeCondition(0, x, high=9)])[0]) == "3 < x <= 9"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
VALUES = st.one_of(TEXTS, st.integers(-3, 99), st.floats(-9, 9, allow_nan=False).map(lambda v: v + 0.5), st.booleans())


# Infinite bounds are left out: such a condition holds always or never, and the parser refuses it.
BOUNDS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(name=TEXTS, values=st.lists(VALUES, min_size=2, max_size=4, unique_by=repr), bound=BOUNDS)
def test_any_name_and_value_comes_back_from_text(name, values, bound):
    feature = Feature(name, "nominal", tuple(values))
    if len(feature.code_of) < len(values):
        return
    other = Feature(name + "n")
    conditions = [SetCondition(0, feature, {0}, missing=0.1), RangeCondition(1, other, high=bound)]
    labels = tuple(dict.fromkeys(values))
    draft = RuleSet.parse("IF a > 0 THEN 0\nELSE 1")
    rule = draft[0].__class__(tuple(conditions), labels[0], 0, (1.0, 0.5), (0.1, 0.2), (0.1, 7.0))
    rules = RuleSet((rule,), (feature, other), labels[:2], (0.0, 1 / 3), (0.1, 7.0), "vote")
    if len(labels) == 2:
        assert RuleSet.parse(rules.to_text(), rules.features) == rules
        assert RuleSet.from_json(rules.to_json()) == rules


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IF x > 0 THEN a", "ELSE"),
        ("IF x > THEN a\nELSE b", "line 1: expected a name or a value, found 'THEN'"),
        ("ELSE a\nIF x > 1 THEN b", "ELSE comes last"),
        ("IF x != a THEN a\nELSE b", "COLUMN x"),
        ("IF x > 3 AND x < 2 THEN a\nELSE b", "no row can meet"),
        ("COLUMN x: u, v\nIF x < u THEN a\nELSE b", "have no order"),
        ("COLUMN x: u, v\nIF x = w THEN a\nELSE b", "not a known value"),
        ("CHOOSE best\nELSE b", "There is no resolution 'best'"),
        ("IF x > 1 THEN a [c 1]\nELSE b", "not one of the classes"),
        ("IF x ~ 1 THEN a\nELSE b", "line 1: cannot read"),
    ],
)
def test_mistakes_are_named(text, says):
    with pytest.raises(InputError, match=says):
        RuleSet.parse(text)


def test_saved_and_loaded(tmp_path):
    from vaglio import load

    rng = np.random.default_rng(2)
    matrix = random_matrix(rng, 40)
    rules = rules_of_tree(random_tree(rng, 4, 3, "mixed", linear=True), FEATURES, np.array(["a", "b", "c"]))
    fitted = Fitted(rules.codebook(), rules, np.array(["a", "b", "c"]), "rules")
    fitted.save(tmp_path / "rules.vaglio")
    again = load(tmp_path / "rules.vaglio")
    assert again.rules() == rules
    np.testing.assert_array_equal(again.model.predict_proba(matrix), rules.predict_proba(matrix))


def test_hostile_arrays_are_refused():
    rng = np.random.default_rng(4)
    rules = rules_of_tree(random_tree(rng, 3, 2, "share"), FEATURES, np.array(["a", "b"]))
    arrays, meta = rules.state()
    RuleSet.from_state(dict(arrays), meta, FEATURES, 2)
    for name, value in arrays.items():
        for bad in (
            value[:-1],
            value.astype(np.int16),
            np.full(value.shape, -7 % 256 if value.dtype == np.uint8 else -7).astype(value.dtype),
        ):
            if bad.shape == value.shape and bad.dtype == value.dtype and (bad == value).all():
                continue
            # A bound of -7 is a bound like any other, and so is a flag byte.
            harmless = name in ("flags", "detail") and bad.shape == value.shape and bad.dtype == value.dtype
            if not harmless:
                with pytest.raises(ModelFileError):
                    RuleSet.from_state({**arrays, name: bad}, meta, FEATURES, 2)


def test_pessimistic_error_is_the_binomial_limit():
    # No error in N rows: the rate p with (1 - p)^N = CF.
    assert pessimistic_error(6.0, 0.0, 0.25) == pytest.approx(1 - 0.25 ** (1 / 6))
    assert pessimistic_error(0.0, 0.0, 0.25) == 1
    assert pessimistic_error(5.0, 5.0, 0.25) == 1


def test_simplified_rules_are_shorter_and_no_worse():
    rng = np.random.default_rng(0)
    n = 400
    table = [{"x": float(v), "noise": float(w)} for v, w in zip(rng.random(n), rng.random(n))]
    y = np.where([row["x"] > 0.5 for row in table], "b", "a")
    text = ["CLASSES a, b\nCHOOSE exclusive"]
    text += [
        f"IF {side} AND {low} < noise <= {low + 0.25} THEN {label}"
        for low in (-1, 0.0, 0.25, 0.5, 0.75, 1.0)
        for side, label in (("x <= 0.5", "a"), ("x > 0.5", "b"))
    ]
    rules = RuleSet.parse("\n".join([*text, "ELSE a"]))
    short = rules.simplify(table, y)
    assert short.score(table, y) == 1
    assert len(short) <= 2
    assert [str(c) for rule in short for c in rule.conditions] in (["x <= 0.5"], ["x > 0.5"], ["x <= 0.5", "x > 0.5"])
    assert short.resolution == "first"


def test_records_are_read_by_name():
    rules = RuleSet.parse("IF b > 0 THEN yes\nELSE no")
    assert rules.predict([{"a": 1.0, "b": -1.0}, {"a": -1.0, "b": 1.0}]).tolist() == ["no", "yes"]
    assert len(records(random_matrix(np.random.default_rng(0), 3))) == 3


def test_written_rules_are_a_model_like_any_other(tmp_path):
    from vaglio import load

    fitted = Fitted.from_rules(RuleSet.parse(TEXT).refit(X, Y))
    assert (fitted.predict(X) == Y).all()
    assert "outlook = sunny" in str(fitted.explain(X[:1])[0])
    fitted.save(tmp_path / "written.vaglio")
    again = load(tmp_path / "written.vaglio")
    assert again.rules() == fitted.rules()
    assert (again.predict(X) == Y).all()


@pytest.mark.parametrize("resolution", ["first", "vote", "specific", "quality"])
def test_rules_that_decide_by_costs_survive_every_form(resolution: str):
    text = f"""
        CHOOSE {resolution}
        SMOOTHING laplace
        IF x > 3 THEN a [a 6, b 3, c 1]
        IF x > 1 AND y = u THEN b [a 1, b 5, c 2] COVERS [a 2, b 9, c 2]
        IF y = v THEN c [c 2]
        ELSE a [a 2, b 1]
    """
    plain = RuleSet.parse(text)
    cost = CostMatrix.from_any({("b", "a"): 4, ("c", "a"): 9, ("a", "b"): 1, ("c", "b"): -2}, labels=plain.classes)
    rules = plain.with_costs(cost)
    rows = [{"x": x, "y": y} for x in (0.0, 2.0, 4.0, None) for y in ("u", "v", "other", None)]
    wanted = [plain.classes[k] for k in cost.decide(plain.predict_proba(rows))]
    assert wanted != plain.predict(rows).tolist()
    names: dict = {}
    exec(rules.to_python(), names)
    assert rules.predict(rows).tolist() == wanted
    assert RuleSet.parse(rules.to_text()) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    assert [names["classify"](row) for row in rows] == wanted
    assert Fitted.from_rules(rules).predict(rows).tolist() == wanted
    for rule in rules:
        assert rule.label == rules.classes[rule.code]
