"""What `make test-fast` runs, by what was collected: some test of every contract, learner, command and reader."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from tests.conftest import COLLECTED

from vaglio.cli.main import COMMANDS
from vaglio.learners.registry import LEARNERS

TESTS = Path(__file__).parent
LEFT_OUT = ("slow", "nightly", "browser")


@pytest.fixture(scope="module")
def fast(request: pytest.FixtureRequest) -> list[pytest.Function]:
    """The tests of a fast run; a run of some files or of one test has not seen them all."""
    if [(request.config.rootpath / name).resolve() for name in request.config.args] != [TESTS]:
        pytest.skip("only some of the tests were collected")
    found = request.config.stash[COLLECTED]
    return [item for item in found if not any(item.get_closest_marker(name) for name in LEFT_OUT)]


def _files(items: Iterable[pytest.Function]) -> set[Path]:
    return {item.path for item in items}


def _parameters(item: pytest.Function) -> set[str]:
    """What a test is about, by its parameters: strings, and the learners of estimators."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = {value for value in values if isinstance(value, str)}
    return named | {value._learner_id for value in values if isinstance(value, BaseEstimator) and _is_ours(value)}


def _is_ours(estimator: BaseEstimator) -> bool:
    return hasattr(estimator, "_learner_id")


def test_a_fast_run_has_some_test_of_every_contract(fast: list[pytest.Function]):
    assert sorted(set((TESTS / "contracts").rglob("test_*.py")) - _files(fast)) == []


def test_a_fast_run_has_some_test_of_every_learner(fast: list[pytest.Function]):
    trained = [item for item in fast if item.path.is_relative_to(TESTS / "contracts")]
    assert set(LEARNERS) - {name for item in trained for name in _parameters(item)} == set()


def test_a_fast_run_has_some_test_of_every_command(fast: list[pytest.Function]):
    run = {name for item in fast if item.path.is_relative_to(TESTS / "cli") for name in _parameters(item)}
    # A command of some size has a file or a folder of its own.
    run |= {path.stem.removeprefix("test_") for path in _files(fast) if path.parent == TESTS / "cli/commands"}
    run |= {path.relative_to(TESTS).parts[0] for path in _files(fast)}
    assert set(COMMANDS) - run == set()


def test_a_fast_run_has_some_test_of_every_reader(fast: list[pytest.Function]):
    assert sorted(set((TESTS / "table/readers").glob("test_*.py")) - _files(fast)) == []
    # Every format has a file of tests: those of pyarrow share one.
    readers = {path.stem for path in (TESTS.parent / "src/vaglio/table/readers").glob("*.py")}
    tested = {path.stem.removeprefix("test_") for path in _files(fast)}
    assert readers - tested - {"__init__", "binary_sizes", "excel_child"} == set()
