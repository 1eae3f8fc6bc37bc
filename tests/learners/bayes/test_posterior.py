"""The class that a Bayes model decides for is the one of the largest probability, also where that is hard to see."""

from dataclasses import dataclass

import numpy as np
import pytest

from vaglio.encode import EncodedMatrix
from vaglio.learners.bayes.model.posterior import BayesModel


@dataclass(frozen=True, eq=False)
class Given(BayesModel):
    """A model whose logarithms are the numbers of the rows."""

    prior: np.ndarray

    def joint_log_likelihood(self, matrix):
        return matrix.numeric


@pytest.mark.parametrize(
    "joint",
    [
        [[-1.0, -2.0, -3.0], [-3.0, -2.0, -1.0]],
        [[-2.0, -1.0, -1.0], [-1.0, -2.0, -3.0]],
        [[-1e5, np.nextafter(-1e5, 0), -2e5]],
        [[-0.7, np.nextafter(-0.7, 0), np.nextafter(-0.7, -1)]],
        [[-np.inf, -np.inf, -np.inf], [-1.0, -np.inf, -0.5]],
        [[np.nan, -1.0, -2.0], [np.inf, -1.0, np.inf]],
        np.empty((0, 3)),
    ],
    ids=["clear", "tie", "near", "nearer", "ruled out", "no number", "no rows"],
)
def test_codes_follow_the_probabilities(joint):
    model, rows = Given(np.array([0.2, 0.5, 0.3])), EncodedMatrix.from_arrays(joint)
    expected = model.predict_proba(rows).argmax(axis=1)
    np.testing.assert_array_equal(model.predict_codes(rows), expected)
    codes, probability = model.predict_codes_and_proba(rows)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(probability, model.predict_proba(rows))


@pytest.mark.parametrize(("classes", "threads"), [(1, 1), (2, 3), (100, 2)])
def test_only_rows_without_a_clear_class_are_decided_by_probabilities(classes, threads):
    rng = np.random.default_rng(classes)
    joint = np.round(rng.normal(size=(40_000, classes)), 1)  # many ties
    joint[rng.random(joint.shape) < 0.01] = -np.inf
    model, rows = Given(np.full(classes, 1 / classes)), EncodedMatrix.from_arrays(joint)
    rows.threads = threads
    np.testing.assert_array_equal(model.predict_codes(rows), model.predict_proba(rows).argmax(axis=1))
