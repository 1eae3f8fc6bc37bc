"""The class that a Bayes model decides for is the one of the largest probability, also where that is hard to see."""

from dataclasses import dataclass

import numpy as np
import pytest

from vaglio.model.bayes.posterior import BayesModel


@dataclass(frozen=True, eq=False)
class Given(BayesModel):
    """A model whose logarithms are given, in place of rows."""

    prior: np.ndarray

    def joint_log_likelihood(self, matrix):
        return matrix


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
    model, joint = Given(np.array([0.2, 0.5, 0.3])), np.asarray(joint)
    expected = model.predict_proba(joint).argmax(axis=1)
    np.testing.assert_array_equal(model.predict_codes(joint), expected)
    codes, probability = model.predict_codes_and_proba(joint)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(probability, model.predict_proba(joint))
