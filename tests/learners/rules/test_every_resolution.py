"""Rules that take a row in part, under every resolution: each exported form gives the probabilities of the rules."""

from __future__ import annotations

import itertools
import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.learners.rules.model.rule import RESOLUTIONS
from vaglio.model.costs import CostMatrix

TEXT = """CLASSES a, b, c
COLUMN word: x, y, z
COLUMN grade: low < middle < high
COLUMN n: number
COLUMN m: number
CHOOSE {resolution}
SMOOTHING laplace
ROWS [a 20, b 40, c 30]
IF (n > 1 OR MISSING 0.25) AND (word IN {{x, y}} OR MISSING 0.5) THEN a [a 8, b 4]
IF (grade >= middle OR MISSING) THEN b [b 30, c 2]
IF n IS MISSING 0.75 AND word = z THEN c [a 1, c 2]
IF n <= 1 AND {linear} THEN c [b 1, c 5]
ELSE b [a 1, b 2]"""
# Rules of a tree exclude one another.
EXCLUSIVE = """CLASSES a, b, c
COLUMN n: number
COLUMN m: number
COLUMN word: x, y, z
COLUMN grade: low < middle < high
CHOOSE exclusive
ROWS [a 20, b 40, c 30]
IF (n <= 1 OR MISSING 0.25) AND (word = x OR MISSING 0.5) THEN a [a 8, b 4]
IF (n <= 1 OR MISSING 0.25) AND (word IN {y, z} OR MISSING 0.5) THEN b [b 30, c 2]
IF (n > 1 OR MISSING 0.75) AND m < 2 THEN c [a 1, c 2]
ELSE b [a 1, b 2]"""
COSTS = np.array([[0.0, 1, 4], [2, 0, 1], [1, 7, 0]])


def rules(resolution: str) -> vaglio.RuleSet:
    text = EXCLUSIVE if resolution == "exclusive" else TEXT.format(resolution=resolution, linear="2 * n - 1 * m < 1")
    return vaglio.RuleSet.parse(text)


def table() -> list[dict[str, Any]]:
    columns = {"n": [0.0, 2.0, None], "m": [1.0, 3.0, None], "word": ["x", "z", None], "grade": ["low", "high", None]}
    return [dict(zip(columns, row)) for row in itertools.product(*columns.values())]


def in_database(statement: str, rows: list[dict[str, Any]], columns: list[str]) -> list[tuple[Any, ...]]:
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    base.execute("CREATE TABLE data (n REAL, m REAL, word, grade)")
    base.executemany("INSERT INTO data VALUES (:n, :m, :word, :grade)", rows)
    return [tuple(row[name] for name in columns) for row in base.execute(statement)]


@pytest.mark.slow
@pytest.mark.parametrize("costs", [False, True])
@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_every_form_gives_the_same(resolution: str, costs: bool) -> None:
    plain = rules(resolution)
    found = plain.with_costs(CostMatrix(COSTS, plain.classes)) if costs else plain
    rows = table()
    expected = found.predict_proba(rows)
    np.testing.assert_allclose(expected.sum(axis=1), 1)
    np.testing.assert_allclose(expected, plain.predict_proba(rows))  # costs change decisions alone
    assert found.resolution == ("first" if costs and resolution in ("specific", "quality") else resolution)
    names = [f"p({label})" for label in found.classes]
    np.testing.assert_allclose(in_database(found.to_sql(probabilities=True), rows, names), expected, atol=1e-12)
    for again in (vaglio.RuleSet.parse(found.to_text()), vaglio.RuleSet.from_json(found.to_json())):
        np.testing.assert_allclose(again.predict_proba(rows), expected, atol=1e-12)
    spaces: dict[str, Any] = {}
    exec(found.to_python("decide"), spaces)
    said = [spaces["decide"](row, probabilities=True) for row in rows]
    np.testing.assert_allclose([[p[label] for label in found.classes] for p in said], expected, atol=1e-12)

    scores = np.sort(expected @ COSTS if costs else -expected, axis=1)
    clear = scores[:, 1] - scores[:, 0] > 1e-9
    assert clear.mean() > 0.7
    predicted = found.predict(rows)
    forms = [[row[0] for row in in_database(found.to_sql(), rows, ["prediction"])], [spaces["decide"](r) for r in rows]]
    for labels in forms:
        assert np.array(labels)[clear].tolist() == predicted[clear].tolist()


@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_a_row_that_no_rule_takes(resolution: str) -> None:
    nothing = rules(resolution)
    number = {"n": 2.0, "m": 3.0} if resolution == "exclusive" else {"n": 1.0, "m": -3.0}
    row = {**number, "word": "x", "grade": "low"}
    expected = nothing.said_by_default.tolist()
    assert nothing.predict_proba([row])[0].tolist() == expected
    assert nothing.predict([row]).tolist() == ["b"]
    assert nothing.default_label == "b"


def test_weights_are_written_to_the_last_digit() -> None:
    text = TEXT.format(resolution="vote", linear="n < 9").replace("[a 20, b 40", "[a 0.1234567890123456, b 40")
    found = vaglio.RuleSet.parse(text)
    assert found.totals[0] == 0.1234567890123456
    assert vaglio.RuleSet.parse(found.to_text()).totals == found.totals


def test_a_vote_counts_the_rows_that_a_rule_covers() -> None:
    plain = vaglio.RuleSet.parse("CLASSES a, b\nCOLUMN n: number\nCHOOSE vote\nROWS [a 9, b 9]\n"
                                 "IF n > 0 THEN a [a 9]\nIF n > 1 THEN b [b 1]\nELSE a [a 1]")  # fmt: skip
    covering = replace(plain, entries=(plain[0], replace(plain[1], covered=(0.0, 99.0))))
    assert plain.predict([{"n": 2.0}]).tolist() == ["a"]
    assert covering.predict([{"n": 2.0}]).tolist() == ["b"]
