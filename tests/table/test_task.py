"""Whether a target asks for classes or numbers: the rule, case by case."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import Table
from vaglio.errors import InputError
from vaglio.table import Column, decide_task

WORDS, CODES = np.array(["a", "b"] * 20), np.arange(60) % 3
CASES = {
    "words": (WORDS, "classification", False),
    "truth values": (np.array([True, False]), "classification", False),
    "one number not whole": (np.array([1.0, 2.0, 2.5]), "regression", False),
    "two whole numbers": (np.array([0, 1, 1]), "classification", False),
    "few whole numbers that recur": (CODES, "classification", True),
    "few whole numbers that do not": (np.arange(12), "regression", True),
    "many whole numbers": (np.arange(400) % 40, "regression", True),
    "very many whole numbers": (np.arange(400) % 200, "regression", False),
    "whole numbers as floats": (CODES.astype(float), "classification", True),
    "objects that are numbers": (np.array([1.5, 2], dtype=object), "regression", False),
    "objects that are words": (np.array([1.5, "x"], dtype=object), "classification", False),
    "no rows": (np.array([]), "classification", False),
}


@pytest.mark.parametrize("case", CASES)
def test_the_values_decide_and_assumptions_are_told(case: str) -> None:
    values, task, told = CASES[case]
    found = decide_task(values, name="y")
    assert (found.task, found.told is not None) == (task, told)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("asked", ["classification", "regression"])
def test_the_user_decides_where_asked(case: str, asked: str) -> None:
    assert decide_task(CASES[case][0], asked) == (asked, False, None)


@pytest.mark.parametrize("able", ["classification", "regression"])
def test_a_learner_of_one_task_decides_only_what_is_open(able: str) -> None:
    assert decide_task(CODES, able=able).task == able
    assert decide_task(np.array([0, 1, 1]), able=able).task == able
    # Learners of numbers alone read words as numbers, or name the first that is none.
    assert decide_task(WORDS, able=able).task == able
    assert decide_task(np.array([1.0, 2.5]), able=able).task == "regression"


def test_a_learner_that_decides_against_the_rule_is_told() -> None:
    assert decide_task(CODES, able="classification").told is None
    assert decide_task(CODES, able="regression").told.code == "whole-numbers-as-numbers"
    assert decide_task(np.arange(400) % 40, able="classification").told.code == "whole-numbers-as-classes"


def test_columns_follow_the_same_rule_and_a_date_is_no_number() -> None:
    assert decide_task(Column.numeric("price", [1.5, 2.0, np.nan])).task == "regression"
    assert decide_task(Column.numeric("when", [1.5, 2.0], is_date=True)).task == "classification"
    told = decide_task(Column.numeric("stars", CODES)).told
    assert str(told).startswith("The target 'stars' has 3 distinct whole numbers, taken as classes.")


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(InputError, match="task must be 'auto', 'classification' or 'regression', not 'rank'"):
        decide_task([1], "rank")


def test_text_of_numbers_can_be_predicted_as_numbers() -> None:
    table = Table([Column.numeric("x", [1, 2, 3]), Column.nominal("y", [0, 1, -1], ("1.5", "20"))])
    assert table.xy("y")[1].tolist() == ["1.5", "20"]
    assert table.xy("y", task="regression")[1].tolist() == [1.5, 20.0]
    words = Table([Column.numeric("x", [1, 2, 3]), Column.nominal("y", [-1, 0, 1], ("1.5", "much"))])
    with pytest.raises(InputError, match=r"'y' has 'much' in row 3; expected a number\..*task='classification'"):
        words.xy("y", task="regression")
