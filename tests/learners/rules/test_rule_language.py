"""The language of rules at its edges: what each test means, and what is said of a text that is no rule."""

from __future__ import annotations

import json

import numpy as np
import pytest

import vaglio
from vaglio import RuleSet
from vaglio.errors import InputError
from vaglio.learners.rules.model.simplify import settled
from vaglio.messages.figures import moment
from vaglio.model.condition import LinearCondition, MissingCondition, RangeCondition, SetCondition

COLUMNS = "COLUMN grade: low < middle < high\nCOLUMN word: x, y, z\nCOLUMN n: number\nCOLUMN m: number\n"


def condition(text: str):
    (found,) = RuleSet.parse(f"{COLUMNS}IF {text} THEN a ELSE b")[0].conditions
    return found


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("n < 2", [1, 1.5]),
        ("n <= 2", [1, 1.5, 2]),
        ("n > 2", [2.5]),
        ("n >= 2", [2, 2.5]),
        ("n = 2", [2]),
        ("1 < n <= 2", [1.5, 2]),
        ("1 <= n < 2", [1, 1.5]),
        ("n between 1 and 2", [1, 1.5, 2]),
        ("n is known", [1, 1.5, 2, 2.5]),
        ("grade = middle", ["middle"]),
        ("grade != low", ["middle", "high"]),
        ("grade in {low, middle}", ["low", "middle"]),
        ("grade not in {high}", ["low", "middle"]),
        ("grade >= middle", ["middle", "high"]),
        ("grade > middle", ["high"]),
        ("grade < high", ["low", "middle"]),
        ("grade <= low", ["low"]),
        ("grade between low and middle", ["low", "middle"]),
    ],
)
def test_a_range(text, met):
    rules = RuleSet.parse(f"{COLUMNS}IF {text} THEN a ELSE b")
    values = {"n": [1, 1.5, 2, 2.5, None], "grade": ["low", "middle", "high", None]}
    column = "grade" if "grade" in text else "n"
    empty = dict.fromkeys(("n", "m", "grade", "word"))
    predicted = rules.predict([{**empty, column: value} for value in values[column]]).tolist()
    assert [value for value, label in zip(values[column], predicted, strict=True) if label == "a"] == met


@pytest.mark.parametrize(
    ("text", "codes", "missing"),
    [
        ("word = y", {1}, 0),
        ("word != y", {0, 2}, 0),
        ("word in {x, z}", {0, 2}, 0),
        ("word not in {x, z}", {1}, 0),
        ("word in {}", set(), 0),
        ("(word = y OR MISSING)", {1}, 1),
        ("(word = y OR MISSING 0.25)", {1}, 0.25),
        ("(word = y)", {1}, 0),
        ("word is known", {0, 1, 2}, 0),
    ],
)
def test_a_set_of_words(text, codes, missing):
    if not codes:
        with pytest.raises(InputError, match="no row can meet these conditions"):
            condition(text)
        return
    found = condition(text)
    assert isinstance(found, SetCondition)
    assert (set(found.codes), found.missing) == (codes, missing)


def test_states_and_lines():
    missing = condition("n is missing")
    assert isinstance(missing, MissingCondition)
    assert missing.missing == 1
    assert condition("n is missing 0.5").missing == 0.5
    assert condition("n is known") == RangeCondition(2, condition("n > 0").feature)
    line = condition("2 * n - 3.5 * m >= -1")
    assert isinstance(line, LinearCondition)
    assert (line.coefficients, line.threshold, line.above, line.closed) == ((2, -3.5), -1, True, True)
    line = condition("-1 * n + 1e2 * m < .5")
    assert (line.coefficients, line.threshold, line.above, line.closed) == ((-1, 100), 0.5, False, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF", "line 1: expected a name or a value, found the end"),
        ("IF n > 1 THEN a", "expected a last line ELSE"),
        ("IF n > 1 THEN a ELSE b ELSE b", "there is one ELSE only; expected the end, found 'b'"),
        ("ELSE b\nIF n > 1 THEN a", "line 2: ELSE comes last; expected the end, found 'IF'"),
        (
            "WHEN n > 1 THEN a ELSE b",
            "CHOOSE, SMOOTHING, ROWS, COST or CALIBRATE, found 'WHEN'",
        ),
        ("IF n ? 1 THEN a ELSE b", "line 1: cannot read"),
        ("# a remark\nIF n > 1\n\nAND ? THEN a", "line 4: cannot read"),
        ("IF n 1 THEN a ELSE b", "expected a comparison, found '1'"),
        ("IF 1 > n THEN a ELSE b", "expected < or <= before the column of an interval"),
        ("IF 1 < n > 2 THEN a ELSE b", "expected < or <= after the column of an interval"),
        ("IF 1 < 2 < 3 THEN a ELSE b", "expected the name of a column, found '2'"),
        ("IF n > 1 a ELSE b", "expected THEN, found 'a'"),
        ("IF (n > 1 THEN a ELSE b", r"expected \), found 'THEN'"),
        ("IF (n > 1 OR MISSING 1.5) THEN a ELSE b", "a share of missing values must be between 0 and 1"),
        ("IF (n > 1 OR MISSING -0.5) THEN a ELSE b", "a share of missing values must be between 0 and 1"),
        ("IF n IS MISSING 1.5 THEN a ELSE b", "a share of missing values must be between 0 and 1"),
        ("IF n IS THEN a ELSE b", "expected MISSING, found 'THEN'"),
        ("IF 2 * n - m > 1 THEN a ELSE b", "expected a number, found 'm'"),
        ("IF n > 1 THEN a [a x] ELSE b", "expected a number, found 'x'"),
        ("IF n > 1 THEN a [a -1] ELSE b", "The weight of a must be a finite number of at least 0, not -1"),
        ("IF n > 1 THEN a [a inf] ELSE b", "The weight of a must be a finite number of at least 0, not inf"),
        ("IF n > 1 THEN a [c 1] ELSE b", "A weight is given for c, which is not one of the classes"),
        ("CLASSES a, b\nIF n > 1 THEN c ELSE b", "The rules predict c, which is not one of the classes"),
        ("IF n > 1 AND n < 0 THEN a ELSE b", "line 1: no row can meet these conditions"),
        ("IF 2 < n < 1 THEN a ELSE b", "no value of 'n' is between these bounds"),
        ('COLUMN n: number\nIF n = "x" THEN a ELSE b', "line 2: 'n' is numeric. Compare it with a number"),
        ("COLUMN n: number\nIF n != 2 THEN a ELSE b", "'n' is numeric. Compare it with a number"),
        ("COLUMN n: number\nIF n IN {1, 2} THEN a ELSE b", "'n' is numeric. Compare it with a number"),
        ('COLUMN n: number\nIF n > "x" THEN a ELSE b', "'n' is numeric and cannot be compared with 'x'"),
        ("COLUMN w: x, y\nIF w > x THEN a ELSE b", "the values of 'w' have no order. Use =, != or IN"),
        ("COLUMN w: x, y\nIF w = z THEN a ELSE b", "z is not a known value of 'w'. Add it to the COLUMN line"),
        ("COLUMN g: x < y < z\nIF g IN {x, z} THEN a ELSE b", "must be neighbours"),
        ("IF t CONTAINS Offer THEN a ELSE b", "'Offer' is not a word of a text"),
        ("IF t CONTAINS 3 THEN a ELSE b", "3 is not a word of a text"),
        ("IF t DOES CONTAIN offer THEN a ELSE b", "expected NOT, found 'CONTAIN'"),
        ("CHOOSE strongest\nIF n > 1 THEN a ELSE b", "strongest"),
        ("SMOOTHING sand\nIF n > 1 THEN a ELSE b", "no smoothing 'sand'"),
        ("SMOOTHING m-estimate -1\nIF n > 1 THEN a ELSE b", "finite number >= 0"),
        ("COLUMN n number\nIF n > 1 THEN a ELSE b", "expected :, found 'number'"),
    ],
)
def test_what_is_no_rule_is_said_with_its_line(text, message):
    with pytest.raises(InputError, match=message):
        RuleSet.parse(text)


def test_a_column_that_a_table_does_not_have():
    features = RuleSet.parse(f"{COLUMNS}IF n > 1 AND m > 1 AND word = x AND grade = low THEN a ELSE b").features
    with pytest.raises(InputError, match="there is no column 'wort': did you mean 'word'"):
        RuleSet.parse("IF wort = x THEN a ELSE b", features)


def test_classes_and_smoothing_come_back_from_the_text():
    text = "CLASSES a, b, c\nSMOOTHING m-estimate 3\nROWS [a 1, b 2]\nIF n > 1 THEN a [a 2, b 1] COVERS [a 3] ELSE b"
    rules = RuleSet.parse(text)
    assert rules.classes == ("a", "b", "c")
    assert (rules.smoothing.kind, rules.smoothing.m) == ("m-estimate", 3)
    assert RuleSet.parse("SMOOTHING m-estimate\nIF n > 1 THEN a ELSE b").smoothing.m == 2
    assert (rules[0].weights, rules[0].covered, rules.totals) == ((2, 1, 0), (3, 0, 0), (1, 2, 0))
    assert RuleSet.parse(rules.to_text()) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    assert RuleSet.parse("IF anything THEN a\nIF n > 1 THEN b\nELSE b").predict([{"n": 2.0}]).tolist() == ["a"]


def changed(change) -> str:
    content = json.loads(RuleSet.parse("IF (n > 1 OR MISSING 0.5) THEN a [a 2] ELSE b").to_json())
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("rules"), "not a rule set as to_json writes it: 'rules'"),
        (lambda c: c["rules"][0]["weights"].append(1), "another number of class weights"),
        (lambda c: c["rules"][0]["covered"].pop(), "another number of class weights"),
        (lambda c: c["rules"][0]["conditions"][0].update(missing=1.5), "the share of missing values is 1.5"),
        (lambda c: c["rules"][0]["conditions"][0].update(missing=-0.5), "the share of missing values is -0.5"),
        (lambda c: c["rules"][0].update(label="c"), "not a rule set"),
        (lambda c: c["smoothing"].update(kind="sand"), "no smoothing 'sand'"),
    ],
)
def test_json_that_is_no_rule_set(change, message):
    with pytest.raises(InputError, match=message):
        RuleSet.from_json(changed(change))


def test_rules_of_numbers_are_for_reading():
    X = np.arange(8.0).reshape(-1, 1)
    model = vaglio.DecisionTreeRegressor(max_depth=1).fit(X, np.repeat([1.0, 3.0], 4)).fitted_
    rules = model.rules()
    assert str(rules).splitlines() == ["IF x0 <= 3.5 THEN 1.0  [4 rows]", "IF x0 > 3.5 THEN 3.0  [4 rows]"]
    with pytest.raises(InputError, match="there are no classes to count"):
        rules.evaluate_on(X, np.ones(8))
    with pytest.raises(InputError, match="costs apply only to rules that predict a class"):
        rules.with_costs(np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"The label 'z' is not one of the classes of these rules \('a' and 'b'\)"):
        RuleSet.parse("IF n > 1 THEN a ELSE b").evaluate_on([{"n": 2.0}], ["z"])


def test_what_a_language_cannot_say():
    rules = RuleSet.parse("IF n > 1 THEN a ELSE b")
    for name in ("two words", "class", "1st", ""):
        with pytest.raises(InputError, match="is not a name for a Python function"):
            rules.to_python(name)
    with pytest.raises(InputError, match="NUL character"):
        RuleSet.parse('IF n > 1 THEN "a\\u0000" ELSE b').to_sql()
    for days, text in ((0, "1970-01-01"), (1.5, "1970-01-02 12:00:00"), (1e12, "9999-12-31"), (-1e12, "0001-01-01")):
        assert moment(days) == text


def test_a_cover_without_the_rules_that_became_needless():
    # The widest rule is taken first, and the two beside it then cover all that it does.
    text = "IF 1 < x < 6 THEN a\nIF x < 4 THEN a\nIF x >= 4 THEN a\nELSE b"
    kept = RuleSet.parse(text).minimal_cover([{"x": float(v)} for v in range(8)], ["a"] * 8)
    assert [str(rule) for rule in kept] == ["IF x < 4 THEN a", "IF x >= 4 THEN a"]


@pytest.mark.parametrize("factor", [0.0, 0.51, -1.0])
def test_a_confidence_factor_that_is_none(factor):
    rules = RuleSet.parse("IF x > 1 THEN a ELSE b")
    with pytest.raises(InputError, match=r"confidence_factor must be above 0 and at most 0.5"):
        rules.simplify([{"x": 2.0}], ["a"], confidence_factor=factor)


def test_what_a_column_is_follows_from_its_tests():
    text = "IF k IS KNOWN AND n > 1 AND b = true AND w IN {x, 3} AND t CONTAINS offer AND o = 2 THEN a ELSE b"
    features = {feature.name: feature for feature in RuleSet.parse(text).features}
    kinds = {name: feature.kind for name, feature in features.items() if feature.word is None}
    assert kinds == {"k": "numeric", "n": "numeric", "b": "nominal", "w": "nominal", "o": "numeric"}
    assert (features["b"].categories, features["w"].categories) == ((True,), ("x", 3))
    assert [feature.word for feature in features.values() if feature.word] == [("t", "offer")]
    with pytest.raises(InputError, match=r"line 1: the other values of 'w' are unknown\. Add a line COLUMN w:"):
        RuleSet.parse("IF w != x THEN a ELSE b")


@pytest.mark.parametrize(("resolution", "kept"), [("first", 1), ("vote", 2), ("specific", 2), ("quality", 1)])
def test_rules_that_decide_nothing_leave_a_list_but_still_vote(resolution, kept):
    text = f"CHOOSE {resolution}\nIF x > 0 THEN a\nIF x > 1 AND y > 0 THEN a\nIF x > 9 THEN a\nELSE b"
    table = [{"x": float(v), "y": 1.0} for v in (-1, 0, 1, 2, 3)]
    rules = RuleSet.parse(text)
    found = settled(rules, rules.codebook().encode(table), np.array([1, 1, 0, 0, 0]), None)
    assert len(found) == kept
    assert found.predict(table).tolist() == list("bbaaa")
