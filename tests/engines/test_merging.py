"""Summaries of a thousand partitions, merged by trees of any shape."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from vaglio.engines.exact_sums import Grid
from vaglio.engines.moments import MomentPlan
from vaglio.engines.passes import Chunk, Pass, merged, run_in_memory
from vaglio.engines.raw import RawChunk, Wanted
from vaglio.engines.row_samples import row_hash, rows_pass, smallest_hashes
from vaglio.engines.survey import Survey, facts_of, plan_of
from vaglio.table import Table

PARTITIONS, FAN_IN = 1000, 8


def tree(parts, merge, order):
    """Merge in groups of eight; who is in a group is left to chance, as the time at which tasks finish is."""
    level = list(parts)
    while len(level) > 1:
        order.shuffle(level)
        groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
        level = []
        for group in groups:
            whole = pickle.loads(pickle.dumps(group[0]))
            for part in group[1:]:
                whole = merge(whole, part)
            level.append(whole)
    return level[0]


@pytest.mark.slow
def test_a_thousand_partitions_merge_in_any_tree(frame):
    wanted = Wanted(tuple(frame.columns[:6]), "target", "weight")
    raw = [RawChunk.of(Table.from_any(frame.iloc[at : at + 3]), wanted, f"part {at}") for at in range(0, 3000, 3)]
    assert len(raw) == PARTITIONS
    surveys = [tree(map(Survey.of, raw), lambda a, b: a.merge(b), random.Random(seed)) for seed in (1, 2)]
    plans = [plan_of(survey) for survey in surveys]
    assert plans[0].codebook == plans[1].codebook
    facts = facts_of(surveys[0], plans[0], 1, 1 << 28, 1 << 28)
    assert facts.class_weight.tolist() == facts_of(surveys[1], plans[1], 1, 1 << 28, 1 << 28).class_weight.tolist()
    chunks = [chunk.chunk(plans[0], 3 * at) for at, chunk in enumerate(raw)]
    codebook = plans[0].codebook.having_seen(chunks[0].matrix)
    plan = MomentPlan.of(facts.__class__(**{**vars(facts), "codebook": codebook}), range(3), 3)
    wanted_rows = smallest_hashes(100, 7, 3000)
    for request in (Pass("moments", plan.summarize), rows_pass(wanted_rows)):
        parts = [request.of_all_rows(chunk) for chunk in chunks]
        answers = [tree(parts, request.merge, random.Random(seed)) for seed in (3, 4)]
        if isinstance(answers[0], dict):
            for name, array in answers[0].items():
                assert np.array_equal(array, answers[1][name])
        else:
            a, b = (answer.joined(1) for answer in answers)
            assert a.index.tolist() == b.index.tolist() == wanted_rows.tolist()
            assert np.array_equal(a.matrix.numeric, b.matrix.numeric, equal_nan=True)


@pytest.mark.parametrize(("n", "rows"), [(1, 2), (5, 5), (100, 101), (300, 200_000)])
def test_the_rows_of_a_sample_have_the_smallest_hashes(n, rows):
    expected = np.sort(np.argsort(row_hash(np.arange(rows), 3))[:n])
    assert smallest_hashes(n, 3, rows).tolist() == expected.tolist()


def test_summaries_are_merged_part_by_part():
    a = ({"x": np.array([1, 2])}, 3, Grid.for_bound([1.0]).sums(np.ones((2, 1))))
    b = ({"x": np.array([10, 20])}, 4, Grid.for_bound([1.0]).sums(np.ones((3, 1))))
    whole = merged(pickle.loads(pickle.dumps(a)), b)
    assert whole[0]["x"].tolist() == [11, 22]
    assert whole[1] == 7
    assert Grid.for_bound([1.0]).value(whole[2]).tolist() == [5.0]


def test_a_generator_is_driven_in_memory(frame):
    from vaglio.encode import EncodedMatrix
    from vaglio.engines.passes import Keep, SequentialPass

    rows = EncodedMatrix.from_arrays(numeric=np.arange(6.0)[:, None])
    chunks = [Chunk(rows.take(slice(at, at + 2)), np.zeros(2, np.int64), None, at) for at in (0, 2, 4)]

    def learner():
        total = yield Pass("sum", lambda chunk: chunk.matrix.numeric.sum())
        yield Keep("doubled", lambda chunk: {"x": 2 * chunk.matrix.numeric[:, 0]})
        doubled = yield Pass("again", lambda kept: kept.arrays["x"].sum(), of=("doubled",))
        last = yield SequentialPass("in order", (), lambda state, chunk: (*state, chunk.start))
        return total, doubled, last

    assert run_in_memory(learner(), chunks) == (15.0, 30.0, (0, 2, 4))
