"""A tree and its rules, and every export of them, say the same on every row."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from tests.model.rule_trees import FEATURES, random_matrix, random_tree, records, walk

from vaglio import RuleSet
from vaglio.learners.trees.model.rules import rules_of_tree
from vaglio.model.condition import RangeCondition, SetCondition

CLASSES = np.array(["no", "it's", 'yes "really"'])


def make(seed: int, missing: str, linear: bool = False):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 4, 3, missing, linear)
    matrix = random_matrix(rng, 120)
    return rules_of_tree(tree, FEATURES, CLASSES), matrix, walk(tree, matrix)


CASES = [(seed, missing) for seed in range(6) for missing in ("share", "direction", "mixed")]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "missing"), CASES)
def test_rules_give_what_the_tree_gives(seed, missing):
    rules, matrix, expected = make(seed, missing, linear=seed % 2 == 0)
    np.testing.assert_allclose(rules.predict_proba(matrix), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("seed", "missing"), CASES)
def test_rules_are_exclusive_and_exhaustive(seed, missing):
    rules, matrix, _ = make(seed, missing)
    shares = sum(rule.match(matrix).astype(float) for rule in rules)
    np.testing.assert_allclose(shares, 1.0, atol=1e-12)
    complete = matrix.take(~matrix.missing.any(axis=1))
    fired = np.array([rule.match(complete) for rule in rules], dtype=float)
    assert set(np.unique(fired)) <= {0.0, 1.0}
    assert (fired.sum(axis=0) == 1).all()


def test_each_column_has_one_condition_a_rule():
    rules, *_ = make(3, "share")
    for rule in rules:
        columns = [condition.column for condition in rule.conditions]
        assert len(columns) == len(set(columns))


def run_sql(rules: RuleSet, rows: list[dict], probabilities: bool):
    names = [feature.name for feature in FEATURES]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE data ({', '.join(quoted)})")
        base.executemany(
            f"INSERT INTO data VALUES ({', '.join('?' * len(names))})", [[row[name] for name in names] for row in rows]
        )
        found = base.execute(rules.to_sql("data", probabilities)).fetchall()
    return [line[-len(CLASSES) :] if probabilities else line[-1] for line in found]


def run_python(rules: RuleSet, rows: list[dict]):
    space: dict = {}
    exec(rules.to_python("f"), space)
    return [(space["f"](row), list(space["f"](row, probabilities=True).values())) for row in rows]


def run_json(rules: RuleSet, rows: list[dict]) -> np.ndarray:
    """A reader of the JSON that knows nothing of the package."""
    content = json.loads(rules.to_json())
    known = {f["name"]: f for f in content["features"]}

    def share(condition, row) -> float:
        if condition["test"] == "linear":
            x = [row[name] for name in condition["columns"]]
            if None in x:
                return condition["missing"]
            value = sum(c * v for c, v in zip(condition["coefficients"], x))
            below = value <= condition["threshold"]
            return float(below if condition["operator"] == "<=" else not below)
        value, feature = row[condition["column"]], known[condition["column"]]
        if value is None or (feature["categories"] and value not in feature["categories"]):
            return condition["missing"]
        if condition["test"] == "missing":
            return 0.0
        if condition["test"] == "set":
            return float(value in condition["values"])
        value = feature["categories"].index(value) if feature["categories"] else value
        low, high = condition["low"], condition["high"]
        above = low is None or (value >= low if condition["low_closed"] else value > low)
        below = high is None or (value <= high if condition["high_closed"] else value < high)
        return float(above and below)

    return np.array(
        [
            sum(
                np.prod([share(condition, row) for condition in rule["conditions"]]) * np.array(rule["says"])
                for rule in content["rules"]
            )
            for row in rows
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "missing"), CASES)
def test_every_export_predicts_as_the_tree(seed, missing):
    rules, matrix, expected = make(seed, missing, linear=seed % 2 == 0)
    rows = records(matrix)
    # A category nobody knows counts as missing.
    strange = [{**row, "colour": "never seen"} if row["colour"] is None else row for row in rows]
    clear = np.diff(np.sort(expected, axis=1), axis=1)[:, -1] > 1e-9
    labels = CLASSES[np.argmax(expected, axis=1)]
    for table in (rows, strange):
        np.testing.assert_allclose(run_sql(rules, table, probabilities=True), expected, atol=1e-12)
        assert (np.array(run_sql(rules, table, probabilities=False)) == labels)[clear].all()
        said = run_python(rules, table)
        assert (np.array([label for label, _ in said]) == labels)[clear].all()
        np.testing.assert_allclose([chances for _, chances in said], expected, atol=1e-12)
        np.testing.assert_allclose(run_json(rules, table), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "missing"), CASES)
def test_text_and_json_come_back_the_same(seed, missing):
    rules, matrix, expected = make(seed, missing, linear=seed % 2 == 0)
    assert RuleSet.parse(rules.to_text(), FEATURES) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    alone = RuleSet.parse(rules.to_text())
    assert alone.to_text() == rules.to_text()
    np.testing.assert_allclose(alone.predict_proba(records(matrix)), expected, atol=1e-12)


def test_tests_on_one_column_are_merged():
    conditions = [c for seed in range(6) for rule in make(seed, "share")[0] for c in rule.conditions]
    ranges = [c for c in conditions if isinstance(c, RangeCondition)]
    sets = [c for c in conditions if isinstance(c, SetCondition)]
    assert any(np.isfinite(c.low) and np.isfinite(c.high) for c in ranges)
    assert any(0 < c.missing < 1 for c in sets)


def test_a_regression_tree_gives_numbers():
    rng = np.random.default_rng(5)
    tree = replace(random_tree(rng, 3, 1, "share"), regression=True)
    matrix = random_matrix(rng, 60)
    rules = rules_of_tree(tree, FEATURES, None)
    expected = walk(tree, matrix)[:, 0]
    np.testing.assert_allclose(rules.predict(matrix), expected, atol=1e-12)
    space: dict = {}
    exec(rules.to_python(), space)
    np.testing.assert_allclose([space["classify"](row) for row in records(matrix)], expected, atol=1e-12)
    assert rules.to_frame().columns.tolist() == ["conditions", "label", "rows", "coverage", "spread"]


@pytest.mark.parametrize("name", ["ID3Classifier", "C45Classifier", "CARTClassifier"])
def test_rules_of_a_learned_tree(name):
    import vaglio

    rng = np.random.default_rng(7)
    matrix = random_matrix(rng, 300, missing=0.1)
    table = vaglio.Table.from_any(records(matrix))
    y = np.where((matrix.numeric[:, 0] > 0.5) ^ (matrix.codes[:, 0] > 2), "yes", "no")
    model = getattr(vaglio, name)().fit(table, y)
    rules = model.rules()
    np.testing.assert_allclose(rules.predict_proba(table), model.predict_proba(table), atol=1e-12)
    assert (rules.predict(table) == model.predict(table)).all()
    np.testing.assert_allclose(
        [sum(rule.covered) for rule in rules.evaluate_on(table, y)][:3], [sum(r.covered) for r in rules][:3]
    )
    short = rules.simplify(table, y)
    assert len(short) <= len(rules)
    assert short.score(table, y) > 0.7
