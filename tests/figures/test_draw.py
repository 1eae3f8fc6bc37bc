"""Every figure by its name: for every kind of column, in both languages, with the rows and names of the table."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import vaglio
from vaglio.errors import NotSupportedError, VaglioError
from vaglio.figures import FIGURES
from vaglio.fitted import load


@pytest.fixture(scope="module")
def penguins() -> vaglio.Table:
    """Numbers, categories, missing values; every sixth row."""
    return vaglio.datasets.load("penguins").take(np.arange(0, 344, 6))


@pytest.fixture(scope="module")
def two(penguins: vaglio.Table) -> vaglio.Table:
    frame = penguins.to_frame()
    return vaglio.Table.from_any(frame[frame["species"].isin(["Adelie", "Gentoo"])].reset_index(drop=True))


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def words(figure: Any) -> set[str]:
    """Everything that is written in a figure."""
    figure.draw_without_rendering()
    return {text.get_text() for text in figure.findobj(Text) if text.get_text()}


TWO_CLASSES = ("margin", "path")


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_in_both_languages(
    name: str, penguins: vaglio.Table, two: vaglio.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaglio.figures.curves._ROUNDS", 3)  # their mean is not asked for here
    table = two if name in TWO_CLASSES else penguins
    target = "species" if "classification" in FIGURES[name].tasks else "body_mass_g"
    rows = () if FIGURES[name].needs == "nothing" else (None, table, target)
    english, italian = (words(vaglio.draw(name, *rows, lang=lang)) for lang in ("en", "it"))
    assert english
    if name not in ("boxes", "pairs"):  # whose words are the table's
        assert english != italian
    if FIGURES[name].needs == "classes" and "regression" not in FIGURES[name].tasks:
        assert any("Adelie" in each for each in english)


OF_NUMBERS = [name for name, kind in FIGURES.items() if "regression" in kind.tasks]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_figures_of_numbers_show_a_learner_a_model_and_its_file(
    name: str, penguins: vaglio.Table, tmp_path: Any
) -> None:
    table = vaglio.Table.from_any(penguins.to_frame().dropna().reset_index(drop=True))
    X, y = table.xy("body_mass_g", task="regression")
    model = vaglio.DecisionTreeRegressor(max_depth=3).fit(X, y)
    model.fitted_.save(tmp_path / "m.vaglio")
    values = {"max_depth": [1, 3]} if name in ("parameter", "bias-variance") else None
    shown = [
        vaglio.draw(name, each, table, "body_mass_g", settings=values, lang="it")
        for each in ("cart", model, load(tmp_path / "m.vaglio"))
    ]
    assert all(words(figure) for figure in shown)
    if name in ("predicted", "residuals"):
        points = [figure.axes[0].collections[0].get_offsets() for figure in shown]
        assert np.array_equal(points[1], points[2])
        true, predicted = np.asarray(y, dtype=float), model.predict(X)
        expected = np.column_stack([predicted, true - (predicted if name == "residuals" else 0.0)])
        np.testing.assert_allclose(np.asarray(points[1]), expected)
        assert not np.array_equal(points[0], points[1])  # of a learner: rows outside of the training
    if name == "errors":
        squares = np.mean((np.asarray(y, dtype=float) - model.predict(X)) ** 2)
        heights = np.array([bar.get_height() for bar in shown[1].axes[0].patches])
        assert heights.min() ** 2 <= squares <= heights.max() ** 2


@pytest.mark.parametrize("name", [name for name, kind in FIGURES.items() if kind.needs in ("classes", "model")])
def test_a_figure_of_the_other_task_names_those_that_can_be_drawn(name: str, penguins: vaglio.Table) -> None:
    for task, target in (("classification", "species"), ("regression", "bill_length_mm")):
        if task not in FIGURES[name].tasks:
            with pytest.raises(NotSupportedError, match="Choose one of") as refused:
                vaglio.draw(name, None, penguins, target)
            able = [each for each, kind in FIGURES.items() if task in kind.tasks and kind.needs == "classes"]
            assert any(each in str(refused.value) for each in able)


@pytest.mark.slow
@pytest.mark.parametrize(
    "columns", [("bill_length_mm", "flipper_length_mm"), ("bill_length_mm", "island"), ("sex", "island")]
)
def test_regions_of_every_kind_of_column_are_the_predictions(penguins: vaglio.Table, columns: tuple[str, str]) -> None:
    X, y = penguins.xy("species")
    for model in (vaglio.C45Classifier(), vaglio.NaiveBayesClassifier(), vaglio.KNeighborsClassifier(3)):
        model.fit(X, y)
        display = vaglio.DecisionRegionDisplay.from_estimator(model, X, y, 6, columns=columns)
        frame = X.to_frame()
        assert set(display.fixed) == set(X.columns) - set(columns)
        for name, value in display.fixed.items():
            column = frame[name].dropna()
            numeric = X.column(name).kind == "numeric"
            assert value == (column.median() if numeric else column.mode().iloc[0])
        grid = []
        for j, up in enumerate(display.y):
            for i, across in enumerate(display.x):
                row = dict(display.fixed)
                for axis, name, value, place in zip((0, 1), columns, (across, up), (i, j), strict=True):
                    row[name] = display.categories[axis][place] if display.categories[axis] else value
                grid.append(row)
        predicted = model.predict(pd.DataFrame(grid)[list(X.columns)])
        assert [display.classes[code] for code in display.codes.ravel()] == predicted.tolist()
        missing = frame[list(columns)].isna().any(axis=1)
        assert (len(display.points), display.n_hidden) == (int((~missing).sum()), int(missing.sum()))
        assert [display.classes[c] for c in display.point_codes] == [str(label) for label in np.asarray(y)[~missing]]


@pytest.mark.slow
def test_a_model_from_a_file_its_estimator_and_its_learner_draw_the_same_regions(
    penguins: vaglio.Table, tmp_path: Any
) -> None:
    X, y = penguins.xy("species")
    model = vaglio.CARTClassifier(max_depth=3).fit(X, y)
    model.fitted_.save(tmp_path / "m.vaglio")
    displays = [
        vaglio.DecisionRegionDisplay.from_estimator(each, X, y, 9, columns=("bill_length_mm", "island"))
        for each in (model, model.fitted_, load(tmp_path / "m.vaglio"))
    ]
    for display in displays[1:]:
        assert np.array_equal(display.codes, displays[0].codes)
    again = vaglio.draw("regions", load(tmp_path / "m.vaglio"), penguins, "species", settings={"max_depth": [1, 2, 3]})
    assert [ax.get_title() for ax in again.axes] == ["max_depth = 1", "max_depth = 2", "max_depth = 3"]


@pytest.mark.slow
def test_panels_are_settings_times_fixed_values(penguins: vaglio.Table) -> None:
    figure = vaglio.draw(
        "regions", "cart", penguins, "species", settings={"max_depth": [1, 2]}, fixed={"island": ["Biscoe", "Dream"]}
    )
    titles = [f"max_depth = {depth}, island = {island}" for depth in (1, 2) for island in ("Biscoe", "Dream")]
    assert [ax.get_title() for ax in figure.axes] == titles
    assert any(each.startswith("Other columns: ") and "year" in each for each in words(figure))


def test_slacks_of_a_margin_are_those_of_the_machine(two: vaglio.Table) -> None:
    frame = two.to_frame().dropna()
    X, y = frame[["bill_length_mm", "bill_depth_mm"]], frame["species"].astype(str).to_numpy()
    machine = vaglio.SVC(kernel="linear", C=0.05).fit(X, y)
    for model in (machine, machine.fitted_):
        display = vaglio.DecisionRegionDisplay.from_estimator(model, X, y, 30)
        assert display.slack == pytest.approx(machine.slack_, abs=1e-9)
        assert set(display.support) >= set(machine.support_)


@pytest.mark.parametrize("name", ["roc", "precision-recall", "gains", "lift"])
def test_every_row_stands_at_the_step_that_it_makes(name: str) -> None:
    play = vaglio.datasets.load("play")
    X, y = play.xy("play")
    model = vaglio.NaiveBayesClassifier().fit(X, y)
    figure = vaglio.draw(name, model, play, "play", positive="yes")
    written = {int(i) for each in figure.axes[0].texts for i in each.get_text().split(", ")}
    assert written == set(range(1, 15))


@pytest.mark.slow
def test_positives_are_counted_on_demand() -> None:
    play = vaglio.datasets.load("play")
    figure = vaglio.draw("gains", None, play, "play", positive="yes", counts=True)
    x, y = figure.axes[0].lines[1].get_xydata().T
    assert x == pytest.approx(range(15))
    assert y[-1] == pytest.approx(9)
    assert "Positives among them" in words(figure)


def test_the_threshold_of_scores_is_the_one_given() -> None:
    play = vaglio.datasets.load("play")
    for given, drawn in ((None, 0.5), (0.3, 0.3)):
        options = {} if given is None else {"threshold": given}
        (ax,) = vaglio.draw("scores", None, play, "play", positive="yes", **options).axes
        assert any(set(line.get_xdata()) == {drawn} for line in ax.lines)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("regionz", None, "play", "play"), "regions"),
        (("regions",), "needs a table"),
        (("regions", None, "penguins", "species", {"columns": ("island", "nothing")}), "nothing"),
        (("margin", None, "penguins", "species"), "two classes"),
        (("neuron", "cart", "play", "play"), "has none"),
        (("ellipses", None, "penguins", "species", {"columns": ("island", "sex")}), "numeric"),
        (("regions", None, "penguins", "species", {"fixed": {"island": "Elba"}}), "Elba"),
        (("regions", None, "penguins", "species", {"fixed": {"year": "Elba"}}), "numeric"),
        (("path", "cart", "play", "play"), "numbers|numeric|two columns"),
        (("regions", None, "play", "play", {"point": [1, 2]}), "no option"),
        (("regions", None, "penguins", "species", {"settings": {"max_depth": list(range(1, 20))}}), "19 pictures"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(call: tuple[Any, ...], said: str) -> None:
    options = call[-1] if isinstance(call[-1], dict) else {}
    figure, *rest = (each for each in call if not isinstance(each, dict))
    if len(rest) > 1:
        rest[1] = vaglio.datasets.load(rest[1])
    with pytest.raises(VaglioError, match=said):
        vaglio.draw(figure, *rest, **options)
