"""Draws the pictures of the pages and of the README: ``python docs/pictures.py [NAME …]``.

Most learners' pages show the same picture, so that they can be compared: bill and flipper length of the penguins, and
the regions in which the learner predicts each species.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import QuadMesh

import vaglio
from vaglio.evaluation import make_holdout
from vaglio.plot.decision_region import DecisionRegionDisplay, PerceptronPathDisplay
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, axes_grid, quiet
from vaglio.quality import box_plots

HERE = Path(__file__).parent
FOLDER = HERE / "pictures"
# The same picture has the same bytes: no date, no random names. Text is stored as text, in the reader's own font.
mpl.rcParams.update({"svg.hashsalt": "vaglio", "svg.fonttype": "none", "savefig.dpi": 72})

PICTURES: dict[str, Callable[[], str]] = {}


def picture(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Register a function that returns SVG, or axes."""

    def register(draw: Callable[[], Any]) -> Callable[[], Any]:
        PICTURES[name] = lambda: _svg(draw())
        return draw

    return register


def _svg(drawn: Any) -> str:
    if isinstance(drawn, str):
        return drawn
    # A mesh of thousands of cells is stored as an image: as paths it would take megabytes.
    for mesh in drawn.findobj(QuadMesh):
        mesh.set_rasterized(True)
    file = io.StringIO()
    drawn.figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(drawn.figure)
    return "\n".join(_rounded(line).rstrip() for line in file.getvalue().splitlines()) + "\n"


def _rounded(line: str) -> str:
    """A hundredth of a point is finer than any screen; labels are left alone."""
    if "<text" in line:
        return line
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", line)


def plane(classes: tuple[str, ...] = ("Adelie", "Chinstrap", "Gentoo")) -> tuple[Any, Any]:
    """Bill and flipper length of the penguins that were measured."""
    frame = vaglio.datasets.load("penguins").to_frame()
    frame = frame.dropna(subset=["bill_length_mm"])
    frame = frame[frame["species"].isin(classes)]
    return frame[["bill_length_mm", "flipper_length_mm"]].reset_index(drop=True), frame["species"].astype(
        str
    ).to_numpy()


def regions(estimator: Any, classes: tuple[str, ...] = ("Adelie", "Chinstrap", "Gentoo"), resolution: int = 160) -> Any:
    """Draw the regions in which a learner predicts each class."""
    X, y = plane(classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = estimator.fit(X, y)
    ax = axes_for(None, size=(5.6, 3.9))
    DecisionRegionDisplay.from_estimator(fitted, X, y, resolution=resolution).plot(ax)
    ax.set(xlabel="bill length (mm)", ylabel="flipper length (mm)")
    return ax


def _plane_of(name: str, make: Callable[[], Any]) -> None:
    picture(name)(lambda: regions(make()))


for _name, _make in {
    "decision-tree": lambda: vaglio.DecisionTreeClassifier(),
    "cart": lambda: vaglio.CARTClassifier(ccp_alpha=0.01),
    "foil": lambda: vaglio.FOILClassifier(),
    "cn2": lambda: vaglio.CN2Classifier(),
    "aq": lambda: vaglio.AQClassifier(),
    "ripper": lambda: vaglio.RIPPERClassifier(),
    "naive-bayes": lambda: vaglio.NaiveBayesClassifier(likelihood="gaussian"),
    "gaussian-map": lambda: vaglio.GaussianMAPClassifier(),
    "gaussian-mixture": lambda: vaglio.GaussianMixtureClassifier(random_state=0),
    "joint-bayes": lambda: vaglio.JointBayesClassifier(),
    "logistic": lambda: vaglio.LogisticRegression(),
    "mlp": lambda: vaglio.MLPClassifier((20,), solver="lbfgs", alpha=0.1),
    "knn": lambda: vaglio.KNeighborsClassifier(5),
    "bagging": lambda: vaglio.BaggingClassifier(n_estimators=50, random_state=0),
    "random-forest": lambda: vaglio.RandomForestClassifier(100, random_state=0),
    "voting": lambda: vaglio.VotingClassifier(voting="soft"),
}.items():
    _plane_of(_name, _make)


@picture("forest-distance")
def two_distances() -> Any:
    frame = vaglio.datasets.load("penguins").to_frame()
    noise = np.random.default_rng(0).normal(size=(len(frame), 10))
    frame = frame.assign(**{f"noise{j}": noise[:, j] for j in range(10)})
    return vaglio.ForestDistanceDisplay.from_table(frame, "species").plot().axes[0]


@picture("linear")
def line_through_penguins() -> Any:
    frame = vaglio.datasets.load("penguins").to_frame().dropna(subset=["body_mass_g"])
    X, y = frame[["flipper_length_mm"]], frame["body_mass_g"]
    model = vaglio.LinearRegression().fit(X, y)
    ends = X.agg(["min", "max"])
    axes = quiet(axes_for(None))
    axes.scatter(X, y, s=12, color=PALETTE[0], alpha=0.6, linewidths=0)
    axes.plot(ends, model.predict(ends), color=INK)
    axes.set(xlabel="flipper_length_mm", ylabel="body_mass_g")
    return axes


@picture("model-tree")
def lines_of_leaves() -> Any:
    """The line above, broken where a tree divides the rows."""
    frame = vaglio.datasets.load("penguins").to_frame().dropna(subset=["body_mass_g"])
    X, y = frame[["flipper_length_mm"]], frame["body_mass_g"]
    model = vaglio.ModelTreeRegressor(min_samples_leaf=40).fit(X, y)
    axes = quiet(axes_for(None))
    axes.scatter(X, y, s=12, color=PALETTE[0], alpha=0.6, linewidths=0)
    grid = pd.DataFrame({"flipper_length_mm": np.linspace(X.min().item(), X.max().item(), 600)})
    leaf = model.apply(grid)
    for node in np.unique(leaf):
        own = grid[leaf == node]
        axes.plot(own, model.predict(own), color=INK)
    axes.set(xlabel="flipper_length_mm", ylabel="body_mass_g")
    return axes


@picture("penguins")
def penguins_tree() -> str:
    X, y = vaglio.datasets.load("penguins").xy("species")
    # The tree whose rules docs/index.md prints beside the picture.
    return vaglio.C45Classifier(max_depth=2).fit(X, y).to_svg()


@picture("id3")
def play_tree() -> str:
    X, y = vaglio.datasets.load("play").xy("play")
    return vaglio.ID3Classifier().fit(X, y).to_svg()


@picture("c45")
def c45_tree() -> str:
    X, y = vaglio.datasets.load("penguins").xy("species")
    return vaglio.C45Classifier(min_samples_leaf=10).fit(X, y).to_svg()


@picture("oblique")
def slanted() -> Any:
    return regions(vaglio.ObliqueTreeClassifier(max_depth=2))


@picture("optimal-tree")
def proved_tree() -> str:
    X, y = vaglio.datasets.load("penguins").xy("species")
    return vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y).to_svg()


@picture("perceptron")
def path() -> Any:
    frame = vaglio.datasets.load("penguins").to_frame().dropna(subset=["bill_depth_mm"])
    frame = frame[frame["species"] != "Chinstrap"]
    measured = frame[["bill_depth_mm", "flipper_length_mm"]]
    X, y = (measured - measured.mean()) / measured.std(), frame["species"].astype(str).to_numpy()
    model = vaglio.Perceptron(preprocess=None).fit(X, y)
    return PerceptronPathDisplay.from_estimator(model, X, y).plot(axes_for(None, size=(5.6, 3.9)))


@picture("svm")
def margin() -> Any:
    return regions(vaglio.SVC(C=10.0), ("Adelie", "Chinstrap"))


@picture("bayes-net")
def network() -> str:
    X, y = vaglio.datasets.load("penguins").xy("species")
    return vaglio.BayesianNetworkClassifier().fit(X, y).to_svg()


@picture("adaboost")
def rounds() -> Any:
    table = vaglio.datasets.load("breast-cancer")
    X, y = table.xy("diagnosis")
    train, test = make_holdout(y, "67-33")
    model = vaglio.AdaBoostClassifier(n_estimators=100, random_state=0).fit(X[train], y[train])
    ax = axes_for(None, size=(5.6, 3.9))
    for rows, label, colour in ((train, "training rows", PALETTE[0]), (test, "test rows", PALETTE[1])):
        ax.plot(1 - np.asarray(list(model.staged_score(X[rows], y[rows]))), color=colour, label=label)
    ax.set(xlabel="rounds", ylabel="error rate", ylim=(0, None))
    ax.legend(frameon=False)
    return quiet(ax)


@picture("gradient-boosting")
def losses() -> Any:
    """The loss after every round, on the rows learned from and on those held out, as the rounds are chosen by."""
    X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
    model = vaglio.HistGradientBoostingClassifier(random_state=0, n_iter_no_change=60).fit(X, y)
    ax = axes_for(None, size=(5.6, 3.9))
    ax.plot(-model.train_score_, color=PALETTE[0], label="rows learned from")
    ax.plot(-model.validation_score_, color=PALETTE[1], label="rows held out")
    ax.axvline(model.n_iter_, color=INK, linewidth=0.8, linestyle=":", label="rounds of the model")
    ax.set(xlabel="rounds", ylabel="log loss", ylim=(0, None))
    ax.legend(frameon=False)
    return quiet(ax)


@picture("additive")
def terms() -> Any:
    """Two terms of an additive model side by side: a column of numbers and a pair."""
    X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
    model = vaglio.ExplainableBoostingClassifier(random_state=0).fit(X, y)
    order = np.argsort(-model.term_importances(), kind="stable")
    single = next(t for t in order if len(model.term_features_[t]) == 1)
    pair = next(t for t in order if len(model.term_features_[t]) == 2)
    _, axes = axes_grid(1, 2, (8.4, 3.8))
    for term, ax in zip((single, pair), axes[0]):
        vaglio.TermDisplay.from_estimator(model, int(term), ax=ax)
    return axes[0, 0]


@picture("multinomial-nb")
def spectra() -> Any:
    letters, model = _messages(vaglio.MultinomialNB())
    return _bars(letters, model)


@picture("bernoulli-nb")
def presence() -> Any:
    letters, model = _messages(vaglio.BernoulliNB())
    return _bars(letters, model)


MESSAGES = [
    ("win a prize now, call now", "spam"),
    ("you win a free holiday, call", "spam"),
    ("free prize, claim now", "spam"),
    ("are we still on for lunch", "ham"),
    ("call me when you are home", "ham"),
    ("lunch at home tomorrow", "ham"),
]


def _messages(model: Any) -> tuple[list[str], Any]:
    table = vaglio.read({"text": [text for text, _ in MESSAGES]}, levels={"text": "text"})
    model.fit(table, [label for _, label in MESSAGES])
    return list(model.spectrum().index), model


def _bars(words: list[str], model: Any) -> Any:
    """Draw how much more likely each word is in spam, as a difference of logarithms."""
    difference = (model.spectrum()["spam"] - model.spectrum()["ham"]).sort_values()
    difference = difference[difference.abs() > 1e-9]
    ax = axes_for(None, size=(5.6, 4.2))
    ax.barh([str(word) for word in difference.index], difference, color=[PALETTE[value > 0] for value in difference])
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set(xlabel="log θ(spam) − log θ(ham): ham ← → spam")
    return quiet(ax, grid="x")


@picture("forest-imputer")
def filled() -> Any:
    X, y = vaglio.datasets.load("penguins").select(["bill_length_mm", "flipper_length_mm", "species"]).xy("species")
    frame = X.to_frame()
    known = frame.dropna().reset_index(drop=True)
    labels = y[frame.notna().all(axis=1).to_numpy()]
    rows = np.random.default_rng(0).choice(len(known), 60, replace=False)
    holes = known.copy()
    holes.loc[rows, "bill_length_mm"] = np.nan
    guess = vaglio.ForestImputer(random_state=0).fit_transform(holes, labels)
    guess = np.asarray(guess["bill_length_mm"], dtype=float)[rows]
    ax = axes_for(None, size=(5.6, 3.9))
    truth = known["bill_length_mm"].to_numpy()[rows]
    mean = holes["bill_length_mm"].mean()
    ax.plot([32, 58], [32, 58], color=MUTED, linewidth=0.8)
    ax.scatter(truth, np.full(len(rows), mean), s=18, color=MUTED, label="filled with the mean")
    ax.scatter(truth, guess, s=24, color=PALETTE[0], label="filled by the forest")
    ax.set(xlabel="bill length that was removed (mm)", ylabel="bill length filled in (mm)")
    ax.legend(frameon=False)
    return quiet(ax)


@picture("tutorial-boxes")
def boxes() -> Any:
    table = vaglio.datasets.load("penguins").drop(["year", "island", "sex"])
    return box_plots(table, "species")


@picture("tutorial-k")
def accuracy_against_k() -> Any:
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = vaglio.KNeighborsClassifier("cv", max_neighbors=60).fit(X, y)
    return model.curve_.plot(axes_for(None, size=(5.6, 3.4)))


@picture("tutorial-overfitting")
def accuracy_against_depth() -> Any:
    X, y = vaglio.datasets.load("penguins").select(["bill_depth_mm", "body_mass_g", "sex", "species"]).xy("species")
    tree = vaglio.CARTClassifier()
    depths = list(range(1, 16))
    display = vaglio.ValidationCurveDisplay.from_estimator(tree, X, y, param_name="max_depth", param_range=depths)
    plt.close("all")
    ax = axes_for(None, size=(5.6, 3.4))
    display.plot(ax)
    return ax


@picture("tutorial-curves")
def two_curves() -> Any:
    X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
    train, test = make_holdout(y, "67-33")
    model = vaglio.LogisticRegression().fit(X[train], y[train])
    result = vaglio.evaluate(model, X[test], y[test], pos_label="malignant")
    _, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
    vaglio.RocCurveDisplay.from_evaluation(result, ax=left)
    vaglio.PrecisionRecallDisplay.from_evaluation(result, ax=right)
    return left


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        place = HERE / "penguins.svg" if name == "penguins" else FOLDER / f"{name}.svg"
        place.write_text(PICTURES[name](), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
