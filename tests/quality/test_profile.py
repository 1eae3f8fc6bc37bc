"""Facts about one column."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.quality.profile import profile_column
from vaglio.table import Column


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, 100.0, float("nan")]), min_size=1, max_size=1500))
@settings(max_examples=30, deadline=None)
def test_a_profile_agrees_with_a_direct_computation(values):
    data = np.array(values)
    profile = profile_column(Column.numeric("v", data))
    present = data[~np.isnan(data)]
    assert profile.n_missing == np.isnan(data).sum()
    assert profile.n_distinct == len(np.unique(present))
    if len(present):
        quantiles = np.quantile(present, [0, 0.25, 0.5, 0.75, 1])
        np.testing.assert_allclose(profile.quantiles, quantiles)
        reach = 1.5 * (quantiles[3] - quantiles[1])
        inside = present[(present >= quantiles[1] - reach) & (present <= quantiles[3] + reach)]
        assert profile.whiskers == (inside.min(), inside.max())
        assert profile.n_outliers == len(present) - len(inside)
        assert profile.n_zero == (present == 0).sum()
