"""Intervals, tests and warnings do what they say, in a short form of ``make honest``; and the harness can tell."""

from __future__ import annotations

import numpy as np
import pytest
from tools.honest.__main__ import line, page, simulations
from tools.honest.simulation import KINDS, Outcome, Simulation, outcomes

CASES = {f"{each.kind}: {each.name}": each for each in simulations()}
# One of each question; the nightly run asks all of them, of more tables.
SHORT = {each.name.partition(",")[0]: name for name, each in CASES.items() if each.short}


def _judged(each: Simulation, runs: int) -> None:
    wrong = [line(o) for o in outcomes(each, runs) if not o.holds and not each.why]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT.values())
def test_every_promise_holds_on_a_few_tables(name: str) -> None:
    _judged(CASES[name], CASES[name].short)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_promise_holds_on_more_tables(name: str) -> None:
    _judged(CASES[name], max(CASES[name].short, CASES[name].long // 4))


def test_every_simulation_has_a_name_of_its_own_and_a_known_kind() -> None:
    assert len(CASES) == len(simulations())
    assert {each.kind for each in CASES.values()} <= set(KINDS)


def _coverage(rate: float) -> Outcome:
    each = Simulation("of a coin", "coverage", lambda seed: np.random.default_rng(seed).random() < rate)
    (found,) = outcomes(each, 400)
    return found


def test_the_harness_tells_a_promise_that_is_kept_from_one_that_is_not() -> None:
    kept, broken = _coverage(0.95), _coverage(0.8)
    assert kept.holds
    assert not broken.holds
    assert broken.verdict == "does not hold"
    assert "| of a coin | – | 0.95 |" in page([kept, broken])


def test_figures_are_counted_apart_and_those_without_a_value_left_out() -> None:
    answers = {0: {"a": 1.0, "b": 0.02}, 1: {"a": 1.0, "b": float("nan")}, 2: {"b": 0.04}}
    found = {o.figure: o for o in outcomes(Simulation("of two figures", "bias", answers.__getitem__), 3)}
    assert found["a"].runs == 2
    assert found["b"].observed == pytest.approx(0.03)
    # All answers agree, and yet two of them prove little.
    assert found["a"].error > 0.1
