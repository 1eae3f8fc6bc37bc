"""Data cross to and from the kernels as objects: read-only arrays by name, sent to other processes as they are."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from vaglio import _core

from .tree_rows import C45, arrays_of, grow, mixed_rows


def plan(**changes: Any) -> _core.TreesPlan:
    given: dict[str, Any] = {
        "draws": 5,
        "hash_seed": 2**63,
        "seeds": np.array([1, 2], np.uint64),
        "bags": np.array([3, 2**64 - 1], np.uint64),
        "first_out": np.ones(2, np.uint64),
        "last_out": np.zeros(2, np.uint64),
        "features": [np.array([0], np.uint32), np.array([0, 1], np.uint32)],
        "blocks": [],
    }
    return _core.TreesPlan(**given | changes)


def layout() -> _core.BoostingLayout:
    return _core.BoostingLayout(
        nominal=np.array([0, 1], np.uint8),
        bins=np.array([3, 4], np.uint32),
        missing=np.array([1, 0], np.uint8),
        thresholds=[np.array([0.5, 1.5]), np.empty(0)],
    )


def encoding() -> _core.SlopeEncoding:
    return _core.SlopeEncoding(
        columns=np.array([0], np.int64),
        centre=np.array([1.0]),
        scale=np.array([2.0]),
        fill=np.array([0.0]),
        of_codes=[np.array([1, 2, -1], np.int64)],
        heights=np.array([1.0]),
    )


def frontier() -> _core.Frontier:
    columns = _core.BinnedLayout(
        np.zeros(1, np.uint8), np.zeros(1, np.uint32), np.empty(0, np.uint32), [(np.arange(9.0), np.arange(9.0))]
    )
    amounts = _core.GrowthWeights(weight=900.0, rows=900)
    return _core.LevelGrower(columns, 2, _core.TreeConfig(), amounts).ask_sums(10**6, 10.0)


def flat_trees() -> _core.FlatTrees:
    trainer = _core.BoostingPasses(layout(), "binomial", 1, False, 100, _core.BoostingConfig())
    trainer.begin_round([0.0], 1.0, 0.25)
    return trainer.ask(1000)


def tree() -> _core.TreeArrays:
    return grow(*mixed_rows(np.random.default_rng(0)), 3, **C45)


def oblique_tree() -> _core.TreeArrays:
    rows, y = mixed_rows(np.random.default_rng(1), missing=0.0)
    return grow(rows, y, 3, oblique=True, strict=True)


RECORDS = [plan, layout, encoding, frontier, flat_trees, tree, oblique_tree]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b)) and np.asarray(a).dtype == np.asarray(b).dtype


@pytest.mark.parametrize("make", RECORDS)
def test_a_record_survives_the_way_to_another_process(make: Any) -> None:
    record = make()
    sent = pickle.loads(pickle.dumps(record))
    assert type(sent) is type(record)
    found, expected = arrays_of(sent), arrays_of(record)
    assert found.keys() == expected.keys()
    assert [name for name in found if not same(found[name], expected[name])] == []
    assert sum(np.size(value) for value in expected.values() if isinstance(value, np.ndarray)) > 0


@pytest.mark.parametrize("make", RECORDS)
def test_fields_cannot_be_set_and_arrays_cannot_be_written(make: Any) -> None:
    record = make()
    for name, value in arrays_of(record).items():
        with pytest.raises(AttributeError):
            setattr(record, name, value)
        # Terms of linear tests are put in order for whoever reads them.
        if isinstance(value, np.ndarray) and value.size and not name.startswith("linear"):
            assert not value.flags.writeable, name


def test_an_array_outlives_the_record_it_was_read_from() -> None:
    record = tree()
    expected, array = record.value.copy(), record.value
    del record
    for _ in range(20):
        tree()
    np.testing.assert_array_equal(array, expected)


def test_a_wrong_name_or_type_is_refused() -> None:
    with pytest.raises(TypeError, match="incompatible"):
        plan(no_such_field=1)
    with pytest.raises(TypeError, match="incompatible"):
        plan(features=[np.array(["a"])])
    with pytest.raises(TypeError, match="incompatible"):
        _core.SlopeEncoding(columns=np.array([0], np.int64))


def test_blocks_share_out_all_draws_of_each_tree() -> None:
    drawn = plan().with_blocks(10_000)
    assert [int(own.sum()) for own in drawn.blocks] == [5, 5]
    assert plan().blocks == []


@pytest.mark.parametrize("name", ["feature", "threshold", "weight", "gain", "missing_branch", "table_start"])
def test_arrays_of_a_tree_that_differ_in_length_are_refused(name: str) -> None:
    arrays = arrays_of(tree())
    with pytest.raises(ValueError, match="differ in length"):
        _core.TreeArrays(**arrays | {name: arrays[name][:-1]})


@pytest.mark.parametrize("change", [{"linear_start": [0, 3]}, {"linear_coef": [1.0]}, {"linear_start": "falling"}])
def test_linear_terms_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    arrays = arrays_of(oblique_tree())
    assert len(arrays["linear_feature"]) > 1
    for name, value in change.items():
        arrays[name] = arrays[name][::-1].copy() if value == "falling" else np.array(value, arrays[name].dtype)
    with pytest.raises(ValueError, match="linear terms"):
        _core.TreeArrays(**arrays)
