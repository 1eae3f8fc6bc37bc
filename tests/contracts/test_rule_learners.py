"""Every rule learner on small hard tables, with every combination of its parameters: it ends, and does not do harm.

How long a search takes is counted in calls of the condition kernel. Every condition of the kernel leaves out at least
one row and keeps at least one (``test_a_condition_leaves_out_a_row_and_keeps_one``), so a rule of n rows has at most
n - 1 conditions, and a beam takes at most n - 1 steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vaglio import AQClassifier, CN2Classifier, FOILClassifier, RIPPERClassifier
from vaglio.encode import Codebook
from vaglio.learners.rules.estimators.condition_scorer import MEASURES, ConditionScorer
from vaglio.model.base import label_array

SHARED = {
    "max_rules": [None, 1, 3],
    "max_conditions": [None, 1, 2],
    "negation": [False, True],
    "smoothing": ["none", "laplace", "m-estimate"],
    "m": [0.0, 2.0, 50.0],
    "class_weight": [None, "balanced"],
    "resolution": ["first", "vote", "specific", "quality"],
}
BEAM = {"beam_width": [1, 5]}
PARAMETERS: dict[Any, dict[str, list[Any]]] = {
    CN2Classifier: {
        **BEAM,
        "mode": ["ordered", "unordered"],
        "measure": ["entropy", "laplace", "m-estimate"],
        "significance": [0.0, 0.5, 0.95, 0.999],
        "min_covered": [0.0, 1.0, 3.0],
        "covering": ["exclusive", "weighted"],
        "gamma": [1e-200, 0.1, 0.7, 0.999],
        "resolution": [None, *SHARED["resolution"]],
    },
    AQClassifier: {
        **BEAM,
        "preference": [("accuracy", "positives", "conditions"), ("conditions",), ("negatives", "positives")],
        "min_accuracy": [0.0, 0.9, 1.0],
        "value_sets": [False, True],
        "random_state": [0, 7],
    },
    FOILClassifier: {
        "min_accuracy": [0.0, 0.8, 1.0],
        "min_gain": [0.0, 0.01],
        "min_positive": [0.0, 1.0, 2.0],
        "encoding_limit": [False, True],
        "value_sets": [False, True],
    },
    RIPPERClassifier: {
        "optimizations": [0, 2],
        "folds": [2, 3],
        "prune": [False, True],
        "check_error": [False, True],
        "min_positive": [0.0, 2.0],
        "mdl_slack": [0.0, 64.0],
        "value_sets": [False, True],
        "random_state": [0, 7],
    },
}
RULE_LEARNERS = sorted(PARAMETERS, key=lambda learner: str(learner.__name__))

NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, float("nan")])
COLUMNS = (
    lambda n: st.lists(NUMBERS, min_size=n, max_size=n),
    lambda n: st.just([float(i) for i in range(n)]),  # all distinct
    lambda n: st.just([1.0] * n),
    lambda n: st.just([float("nan")] * n),
    lambda n: st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n),
    lambda n: st.just(["always"] * n),
    lambda n: st.just([f"id{i}" for i in range(n)]),
    lambda n: st.just([None] * n),
)


@st.composite
def tables(draw: Any) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """One to twenty rows with columns of every kind; classes of many rows or one; sometimes weights."""
    n = draw(st.integers(1, 20))
    makers = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4))
    frame = pd.DataFrame({f"x{j}": pd.Series(draw(make(n))) for j, make in enumerate(makers)})
    if draw(st.booleans()):
        frame = pd.concat([frame, frame], ignore_index=True)  # every row twice, perhaps with another class
    classes = draw(st.sampled_from([1, 2, 3, 100]))
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=len(frame), max_size=len(frame))))
    weights = st.lists(st.sampled_from([0.1, 0.2, 0.3, 1.0, 7.0]), min_size=len(frame), max_size=len(frame))
    weight = draw(st.none() | weights)
    return frame, y, None if weight is None else np.array(weight)


@st.composite
def learners(draw: Any, kind: Any) -> Any:
    chosen = {name: draw(st.sampled_from(values)) for name, values in {**SHARED, **PARAMETERS[kind]}.items()}
    if chosen.get("mode") == "ordered":
        chosen["covering"] = "exclusive"
    return kind(**chosen)


def steps_allowed(learner: Any, y: np.ndarray) -> int:
    """The most calls of the kernel, by the arguments in the code; RIPPER calls it from C++."""
    n, sizes = len(y), np.unique(y, return_counts=True)[1]
    depth = max(n - 1, 1)
    if isinstance(learner, FOILClassifier):  # at most one rule per row of a class, and one that is refused
        return int((sizes + 1).sum()) * depth
    if isinstance(learner, AQClassifier):  # one star per seed
        return int(sizes.sum()) * learner.beam_width * depth
    if isinstance(learner, CN2Classifier):  # each conjunction is asked for its best and for its best significant child
        times = 2 if learner.covering == "weighted" else 1
        searches = n + 1 if learner.mode == "ordered" else int((times * sizes + 1).sum())
        return searches * 2 * learner.beam_width * depth
    return 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", RULE_LEARNERS, ids=lambda kind: kind.__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_rule_learner_ends_and_is_at_least_as_good_as_the_majority(kind, data):
    frame, y, weight = data.draw(tables())
    learner = data.draw(learners(kind))
    steps, best = [0], ConditionScorer.best

    def counted(self, *args, **options):
        steps[0] += 1
        assert steps[0] <= steps_allowed(learner, y), "more steps than the argument allows"
        return best(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConditionScorer, "best", counted)
        learner.fit(frame, y, sample_weight=weight)
    rules = learner.rules()
    assert len(rules) <= 2 * len(frame)
    assert all(len(rule) <= 2 * len(frame) for rule in rules)
    each = np.ones(len(y)) if weight is None else weight
    each = learner._with_class_weight(np.unique(y, return_inverse=True)[1], each)
    right = each[learner.predict(frame) == y].sum()
    majority = max(each[y == label].sum() for label in np.unique(y))
    assert right >= majority * (1 - 1e-9)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(table=tables(), measure=st.sampled_from(MEASURES), data=st.data())
def test_a_condition_leaves_out_a_row_and_keeps_one(table, measure, data):
    frame, y, weight = table
    codes = np.unique(y, return_inverse=True)[1]
    matrix = Codebook.learn(frame).encode(frame)
    scorer = ConditionScorer(matrix, codes, weight, int(codes.max()) + 1)
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y)))).astype(np.uint32)
    assume(len(rows))
    prior = scorer.class_weights(scorer.all_rows())
    allowed = np.full(len(scorer.features), 0x1F, dtype=np.uint8)
    options = {"priors": prior / prior.sum(), "keep": 50, "allowed": allowed, "target": int(codes[rows[0]])}
    for found in scorer.best(rows, measure, **options):
        assert 0 < len(scorer.meeting(rows, found.condition)) < len(rows)


@pytest.mark.parametrize("kind", RULE_LEARNERS, ids=lambda kind: kind.__name__)
def test_a_rule_learner_learns_codes_of_overlapping_classes(kind):
    # Few rows, five columns of small whole numbers, three classes that overlap, and class weights that are no whole
    # numbers: sums of weights differ in their last bit, and a condition that all rows meet must not count as one.
    rng = np.random.default_rng(5)
    codes = rng.integers(1, 6, (151, 5))
    y = (codes[:, 0] + rng.normal(0, 2, 151) > 3).astype(int) + (codes[:, 1] + rng.normal(0, 2, 151) > 4)
    for X in (codes.astype(float), pd.DataFrame(codes.astype(str))):
        for balance in (None, "balanced"):
            learner = kind(class_weight=balance).fit(X, y)
            assert len(label_array(learner.rules().classes)) == 3
            if balance is None:
                assert learner.score(X, y) >= np.bincount(y).max() / len(y)
