"""The pictures of a learner at work: the last one is the finished model, and there is one per step of the trace."""

import warnings
from html import escape
from xml.etree import ElementTree

import numpy as np
import pytest

import vaglio
from vaglio.learners.registry import LEARNERS, REGRESSORS, find
from vaglio.tracing.animation import make_animation

PLAY = vaglio.datasets.load("play").xy("play")


def iris(classes=("setosa", "versicolor", "virginica"), every=5):
    X, y = vaglio.datasets.load("iris").xy()
    y = np.asarray(y)
    rows = np.flatnonzero(np.isin(y, classes))[::every]
    return X.to_frame().iloc[rows, 2:4].reset_index(drop=True), y[rows]


def fitted(learner, X, y, **params):
    estimator = find(learner).cls(**params)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y)


def seen(animation, estimator, X):
    """The class of the region that each row lies in, by the nearest point of the grid."""
    plane, regions = animation.plane, animation.frames[-1].marks.regions
    at = [np.abs(lines[None] - X.to_numpy()[:, [j]]).argmin(axis=1) for j, lines in enumerate((plane.x, plane.y))]
    return np.asarray(estimator.classes_)[regions[at[1], at[0]]]


FINISHED = ["perceptron", "logistic", "naive-bayes", "gaussian-map", "ripper", "cn2", "adaboost", "mlp"]


@pytest.mark.slow
@pytest.mark.parametrize("learner", FINISHED)
@pytest.mark.parametrize("classes", [("versicolor", "virginica"), ("setosa", "versicolor", "virginica")])
def test_the_last_picture_is_the_finished_model(learner, classes):
    X, y = iris(classes)
    estimator = fitted(learner, X, y, **({"n_estimators": 8} if learner == "adaboost" else {}))
    animation = make_animation(estimator, X, y)
    predicted = estimator.predict(X)
    # A row may lie a cell of the grid away from the boundary.
    assert (seen(animation, estimator, X) == predicted).mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_every_learner_has_pictures_in_the_plane_or_none_at_all(learner):
    X, y = iris(every=10)
    if learner in ("multinomial-nb", "bernoulli-nb"):
        X = X.round()
    try:
        estimator = fitted(learner, X, y)
    except vaglio.errors.VaglioError:
        pytest.skip("not for such a table")
    animation = make_animation(estimator, X, y, row=X.iloc[[0]], lang="it")
    for number in range(len(animation.frames)):
        ElementTree.fromstring(animation.draw(number))
    assert len({frame.caption for frame in animation.frames}) == len(animation.frames)


def weights_of_penguins(columns):
    table = vaglio.datasets.load("penguins").to_frame().dropna()[::9].reset_index(drop=True)
    return table[columns].astype(float), table["body_mass_g"].astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("learner", sorted(REGRESSORS))
@pytest.mark.parametrize("columns", [["flipper_length_mm"], ["flipper_length_mm", "bill_depth_mm"]])
def test_the_last_picture_of_numbers_is_the_finished_model(learner, columns):
    X, y = weights_of_penguins(columns)
    few = {"random-forest": {"n_estimators": 8}, "gradient-boosting": {"max_iter": 8, "early_stopping": False}}
    estimator = find(learner, "regression").cls(**few.get(learner, {}))
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(X, y)
    animation = make_animation(estimator, X, y, row=X.iloc[[3]], lang="it")
    for number in range(len(animation.frames)):
        ElementTree.fromstring(animation.draw(number))
    assert len({frame.caption for frame in animation.frames}) == len(animation.frames)
    last, plane = animation.frames[-1], animation.plane
    if learner == "knn":  # whose last picture has more neighbours
        last = next(frame for frame in animation.frames if frame.caption == f"K = {estimator.n_neighbors_}")
    if last.tree is not None:
        assert len(leaves(last.tree)) == len(estimator.rules())
    elif len(columns) == 1:
        (curve,) = (line for kind, line in last.marks.lines if kind == "curve")
        np.testing.assert_allclose(curve[:, 1], estimator.predict(X.iloc[:0].reindex(range(len(curve))).assign(
            flipper_length_mm=curve[:, 0])), rtol=1e-9)  # fmt: skip
        assert plane.row == (X.iloc[3, 0], pytest.approx(estimator.predict(X.iloc[[3]])[0]))
    else:
        grid = plane.grid[::97]
        predicted = estimator.predict(X.iloc[:0].reindex(range(len(grid))).assign(**dict(zip(columns, grid.T))))
        regions = last.marks.regions.ravel()[::97]
        # The region of each point of the grid is that of the third of the numbers that is predicted there.
        cuts = np.quantile(y, [0, 1 / 3, 2 / 3, 1], method="higher")
        assert (np.clip(np.searchsorted(cuts[1:3], predicted, side="right"), 0, 2) == regions).mean() > 0.95


def leaves(box):
    return [box] if box.leaf else [leaf for child in box.children for leaf in leaves(child)]


def test_a_round_of_boosting_shows_what_it_leaves_and_has_a_step_of_the_trace():
    X, y = weights_of_penguins(["flipper_length_mm"])
    estimator = find("gradient-boosting", "regression").cls(max_iter=4, early_stopping=False, random_state=0).fit(X, y)
    animation = make_animation(estimator, X, y)
    work = vaglio.trace(estimator, X, y)
    assert len(animation.frames) == len([section for section in work.sections if section.level == 2])
    for number, stage in enumerate(estimator.staged_predict(X)):
        links = np.array([line for kind, line in animation.frames[number].marks.lines if kind == "link"])
        np.testing.assert_allclose(links[:, 0, 1] - links[:, 1, 1], y - stage, atol=1e-9 * np.abs(y).max())


def test_least_squares_go_from_the_mean_to_the_minimum():
    X, y = weights_of_penguins(["flipper_length_mm"])
    frames = make_animation(vaglio.LinearRegression(alpha=0), X, y).frames
    curves = [line for frame in frames for kind, line in frame.marks.lines if kind == "curve"]
    np.testing.assert_allclose(curves[0][:, 1], y.mean())
    np.testing.assert_allclose(curves[-2], curves[-1], rtol=1e-6)


def test_a_tree_grows_by_one_test_per_step_of_its_trace():
    X, y = PLAY
    estimator = vaglio.ID3Classifier().fit(X, y)
    animation = make_animation(estimator, X, y)
    steps = [section for section in vaglio.trace(estimator, X, y).sections if section.level == 2]

    def tests(box):
        return (not box.leaf) + sum(tests(child) for child in box.children)

    assert [tests(frame.tree) for frame in animation.frames] == [0, 1, 2, 3, 3]
    assert len(steps) == 3
    assert animation.stepwise


@pytest.mark.slow
def test_boosting_has_a_picture_per_round_of_its_trace():
    X, y = iris()
    estimator = fitted("adaboost", X, y, n_estimators=6)
    steps = [section for section in vaglio.trace(estimator, X, y).sections if section.level == 2]
    assert len(make_animation(estimator, X, y).frames) == len(steps)


def test_the_weights_of_the_rows_are_those_of_the_trace():
    X, y = iris()
    estimator = fitted("adaboost", X, y, n_estimators=3)
    weights = make_animation(estimator, X, y).frames[0].marks.weights
    wrong = estimator.estimators_[0].predict(X) != y
    assert weights[wrong].sum() == pytest.approx(2 / 3)  # of three classes the error becomes that of guessing
    assert weights.sum() == pytest.approx(1)


def test_the_perceptron_moves_with_every_update_and_marks_the_wrong_row():
    X, y = iris(("setosa", "versicolor"))
    estimator = fitted("perceptron", X, y)
    animation = make_animation(estimator, X, y)
    updates = vaglio.trace(estimator, X, y).facts["updates"]
    assert len(animation.frames) == updates + 1
    assert all(len(frame.marks.rings) == 1 for frame in animation.frames[1:])


def test_the_margin_hardens_with_the_cost_of_errors():
    X, y = iris(("versicolor", "virginica"))
    estimator = fitted("svm", X, y, kernel="linear")
    animation = make_animation(estimator, X, y)
    support = [len(frame.marks.rings) for frame in animation.frames]
    assert support == sorted(support, reverse=True)
    own = next(frame for frame in animation.frames if frame.caption.startswith("C = 1:"))
    assert own.marks.rings == tuple(estimator.support_.tolist())


def test_neighbours_of_the_row_are_linked():
    X, y = iris()
    estimator = fitted("knn", X, y)
    animation = make_animation(estimator, X, y, row=X.iloc[[4]])
    five = next(frame for frame in animation.frames if frame.caption == "K = 5")
    expected = estimator.kneighbors(X.iloc[[4]], return_distance=False)[0]
    assert sorted(five.marks.rings) == sorted(expected.tolist())
    assert len(five.marks.lines) == 5


def test_nothing_is_drawn_without_a_plane_or_a_tree():
    X, y = PLAY
    assert make_animation(vaglio.NaiveBayesClassifier().fit(X, y), X, y) is None


def test_regions_are_codes_of_the_classes():
    X, y = iris()
    estimator = fitted("gaussian-map", X, y)
    animation = make_animation(estimator, X, y)
    assert set(np.unique(animation.frames[0].marks.regions)) <= {0, 1, 2}


def test_the_page_of_a_trace_has_its_animation_with_every_picture_and_no_address() -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    learner = vaglio.ID3Classifier()
    animation = make_animation(learner, X, y, lang="it")
    page = vaglio.trace(learner, X, y, lang="it").to_html(animation)
    assert page.count("<figure>") == page.count("<figcaption>") == len(animation.frames)
    assert all(escape(frame.caption) in page for frame in animation.frames)
    assert "Avvia" in page
    assert "src=" not in page
    assert page.replace(animation.to_html(), "") == vaglio.trace(learner, X, y, lang="it").to_html()
