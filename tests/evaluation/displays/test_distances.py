"""Two maps of the same rows: the distances against brute force, the scaling against scikit-learn's components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.displays.distances import classical_scaling, euclidean_distance, forest_distance
from vaglio.explanation.explanation import leaves


@pytest.fixture(scope="module")
def penguins() -> tuple[Any, np.ndarray]:
    return vaglio.datasets.load("penguins").xy("species")


@pytest.fixture(scope="module")
def forest(penguins: Any) -> Any:
    X, y = penguins
    return vaglio.RandomForestClassifier(30, random_state=0).fit(X[::2], y[::2])


def test_the_distance_is_one_minus_the_similarity(forest: Any, penguins: Any) -> None:
    rows = penguins[0][1:120:2]
    found = leaves.find("forest")(forest.fitted_.model, forest._encode(rows))
    np.testing.assert_allclose(forest_distance(*found), 1 - forest.similarity(rows).toarray(), atol=1e-12)


def test_scaling_of_euclidean_distances_is_principal_components() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)) * [4, 2, 1, 0.5]
    matrix = vaglio.RandomForestClassifier(2, random_state=0).fit(X, X[:, 0] > 0)._encode(X)
    points, shown = classical_scaling(euclidean_distance(matrix))
    peer = PCA(2).fit(StandardScaler().fit_transform(X))
    np.testing.assert_allclose(np.abs(points), np.abs(peer.transform(StandardScaler().fit_transform(X))), atol=1e-8)
    assert shown == pytest.approx(peer.explained_variance_ratio_.sum())


def test_points_of_a_plane_keep_their_distances() -> None:
    X = np.random.default_rng(1).normal(size=(20, 2))
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    points, shown = classical_scaling(distance)
    np.testing.assert_allclose(np.linalg.norm(points[:, None] - points, axis=2), distance, atol=1e-8)
    assert shown == pytest.approx(1)


@pytest.mark.slow
def test_noise_hides_the_classes_from_euclid_only() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y + 0.1 * rng.normal(size=200), rng.normal(size=(200, 40))])
    display = vaglio.ForestDistanceDisplay.from_table(X, y)
    assert display.agreement[0] > 0.95 > 0.8 > display.agreement[1]


@pytest.mark.slow
def test_sample_is_stated_and_seeded(forest: Any, penguins: Any) -> None:
    X, y = penguins
    make = vaglio.ForestDistanceDisplay.from_estimator
    one, same, other = (make(forest, X, y, max_rows=80, seed=seed) for seed in (1, 1, 2))
    assert "a random sample of 80 of 344 rows" in one.note
    assert "all 344 rows" in make(forest, X, y, max_rows=400).note
    np.testing.assert_array_equal(one.forest, same.forest)
    assert not np.array_equal(one.codes, other.codes) or not np.array_equal(one.forest, other.forest)


@pytest.mark.slow
def test_drawn_with_both_titles_and_all_classes(forest: Any, penguins: Any) -> None:
    import matplotlib.pyplot as plt

    figure = vaglio.ForestDistanceDisplay.from_estimator(forest, *penguins).plot()
    assert [ax.get_title() for ax in figure.axes] == ["Distance of the forest", "Euclidean distance"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    plt.close(figure)


def test_what_has_no_trees_is_refused(penguins: Any) -> None:
    X, y = penguins
    make = vaglio.ForestDistanceDisplay.from_estimator
    with pytest.raises(NotSupportedError, match="no trees"):
        make(vaglio.NaiveBayesClassifier().fit(X, y), X, y)
    with pytest.raises(NotSupportedError, match="classes"):
        make(vaglio.RandomForestRegressor(3).fit(X, np.arange(len(y))), X, y)
    with pytest.raises(InputError, match="at least 3"):
        make(vaglio.RandomForestClassifier(3).fit(X, y), X, y, max_rows=2)


@pytest.mark.slow
def test_report_and_command_draw_both_maps(tmp_path: Any) -> None:
    from vaglio.cli.main import main
    from vaglio.report import report_html

    table = vaglio.datasets.load("penguins")[::2]
    page = report_html(vaglio.Study(table, "species", learners=["random-forest"], strategy="quick").run(progress=False))
    assert page.count('class="map"') == 2
    table.to_frame().to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit) as left:
        main(
            [
                "explore",
                str(tmp_path / "p.csv"),
                "-t",
                "species",
                "--figure",
                "forest",
                "--out",
                str(tmp_path / "m.svg"),
            ]
        )
    assert not left.value.code
    assert "Euclidean distance" in (tmp_path / "m.svg").read_text() or (tmp_path / "m.svg").stat().st_size > 10_000
    with pytest.raises(SystemExit) as left:
        main(["explore", str(tmp_path / "p.csv"), "--figure", "forest", "--out", str(tmp_path / "n.svg")])
    assert left.value.code
