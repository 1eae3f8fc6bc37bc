"""Mislabelled rows, and rows unlike the others of their class."""

from __future__ import annotations

import numpy as np

import vaglio

from .findings import the


def two_classes(n: int, apart: float, share: float, seed: int = 0, rare: float = 0.5):
    """Two normal classes so many deviations apart, a share of the labels wrong; the table, and the wrong rows."""
    rng = np.random.default_rng(seed)
    yes = rng.random(n) < rare
    X = rng.normal(size=(n, 4)) + (yes * apart / 2)[:, None]
    wrong = rng.random(n) < share
    return {f"x{j}": X[:, j] for j in range(4)} | {"y": np.where(yes ^ wrong, "yes", "no")}, np.flatnonzero(wrong)


def test_wrong_labels_are_found_at_small_and_large_shares():
    for share in (0.07, 0.2):
        table, wrong = two_classes(1000, 8, share)
        found = the(vaglio.audit(table, "y"), "mislabelled")
        hits = np.isin(found.rows, wrong).sum()
        assert hits > 0.7 * len(wrong)
        assert len(found.rows) - hits <= 0.05 * len(found.rows) + found.details["false"]
        assert abs(found.details["share"] - share) < 0.05


def test_clean_classes_have_no_misfits_whether_they_overlap_are_rare_or_tell_nothing():
    kinds = ("mislabelled", "forest-outliers")
    for apart, rare in ((8, 0.5), (3, 0.5), (1, 0.5), (0, 0.5), (3, 0.1)):
        for seed in range(3):
            found = vaglio.audit(two_classes(300, apart, 0.0, seed, rare)[0], "y")
            assert not [f for kind in kinds for f in found.of_kind(kind)], (apart, rare, seed)


def test_single_rows_unlike_their_class_are_found_by_a_forest():
    rng = np.random.default_rng(4)
    y = np.repeat(["p", "q"], 150)
    centre = np.where(y == "p", 0.0, 6.0)
    y[[10, 200]] = ["q", "p"]
    table = {"a": centre + rng.normal(size=300), "b": centre + rng.normal(size=300), "y": y}
    found = the(vaglio.audit(table, "y"), "forest-outliers")
    assert set(found.rows.tolist()) == {10, 200}
    assert found.details["sample"] == 300
