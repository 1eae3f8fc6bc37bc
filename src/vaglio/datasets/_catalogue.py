"""The tables: what each holds, where it comes from and under which licence, and how it is loaded.

Two ship with the package; the others are those of scikit-learn, which is imported only for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.arguments import checked
from vaglio.table import Column, Table, read

_PLAY = """
sunny    hot  high   false no
sunny    hot  high   true  no
overcast hot  high   false yes
rainy    mild high   false yes
rainy    cool normal false yes
rainy    cool normal true  no
overcast cool normal true  yes
sunny    mild high   false no
sunny    cool normal false yes
rainy    mild normal false yes
sunny    mild normal true  yes
overcast mild high   true  yes
overcast hot  normal false yes
rainy    mild high   true  no
"""
_PLAY_VALUES = {
    "outlook": ("sunny", "overcast", "rainy"),
    "temperature": ("hot", "mild", "cool"),
    "humidity": ("high", "normal"),
    "windy": ("false", "true"),
    "play": ("no", "yes"),
}
# The same days under the names of Quinlan's article: its values -> those of lecture notes that print it.
_WEATHER = {"sunny": "Sunny", "overcast": "Overcast", "rainy": "Rain", "no": "N", "yes": "P"}
_WEATHER_COLUMNS = {
    "outlook": "Outlook",
    "temperature": "Temperature",
    "humidity": "Humidity",
    "windy": "Windy",
    "play": "class",
}
# Name of the table -> function of scikit-learn.
_LOADER = {"iris": "load_iris", "wine": "load_wine", "breast-cancer": "load_breast_cancer", "digits": "load_digits"}


def _load_play() -> Table:
    """Return the 14 days; all values are declared, so that every part of the table has the same categories."""
    rows = [line.split() for line in _PLAY.split("\n") if line]
    columns = []
    for (name, values), cells in zip(_PLAY_VALUES.items(), zip(*rows)):
        role = "target" if name == "play" else "input"
        columns.append(Column.nominal(name, [*map(values.index, cells)], values, declared=True, role=role))
    return Table(columns)


def _load_weather() -> Table:
    """Return the 14 days with the names and values of the article."""
    columns = []
    for name, column in ((name, _load_play().column(name)) for name in _PLAY_VALUES):
        values = tuple(_WEATHER.get(value, value) for value in _PLAY_VALUES[name])
        columns.append(column.replace(name=_WEATHER_COLUMNS[name], categories=values))
    return Table(columns)


def _load_penguins() -> Table:
    """Return the 344 penguins."""
    with resources.files(__package__).joinpath("penguins.csv").open("rb") as file:
        return read(file, target="species")


def _load_from_scikit_learn(name: str, target: str) -> Table:
    """Return a table of scikit-learn with its classes as words (digits: as numbers)."""
    from sklearn import datasets

    bunch = getattr(datasets, _LOADER[name])()
    inputs = [
        Column.numeric(feature.removesuffix(" (cm)").replace(" ", "_").replace("/", "_per_"), bunch.data[:, at])
        for at, feature in enumerate(bunch.feature_names)
    ]
    categories = [value.item() for value in np.asarray(bunch.target_names)]
    label = Column.nominal(target, bunch.target, categories, declared=True, role="target")
    return Table([*inputs, label])


@dataclass(frozen=True)
class Dataset:
    """The description of one table.

    Attributes
    ----------
    name : str
        For :func:`load`.
    target : str
        The class column.
    description : str
        What the table holds.
    licence, source : str
        Under which licence it is used, and where it was published.
    """

    name: str
    target: str
    description: str
    licence: str
    source: str


@checked
def load(name: str) -> Table:
    """Return a table by name; its class column has the role "target".

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Table

    Examples
    --------
    >>> from vaglio.datasets import load
    >>> X, y = load("penguins").xy()
    >>> X.shape, sorted(set(y.tolist()))
    ((344, 7), ['Adelie', 'Chinstrap', 'Gentoo'])
    """
    describe(name)
    return _LOADERS[name]()


def names() -> list[str]:
    """Return the names of all tables."""
    return sorted(_ENTRIES)


@checked
def describe(name: str) -> Dataset:
    """Return what a table holds, where it comes from and under which licence.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    """
    if name not in _ENTRIES:
        raise InputError(
            "unknown-dataset",
            "There is no dataset {dataset!r}: {hint}",
            dataset=name,
            hint=did_you_mean(name, names(), quoted=True),
        )
    return _ENTRIES[name]


_WITH_SCIKIT_LEARN = text("as distributed with scikit-learn (BSD-3-Clause), which took it from the UCI repository")
_ENTRIES = {
    entry.name: entry
    for entry in (
        Dataset(
            "play",
            "play",
            text("14 days: is the weather fit to play? Four nominal attributes; the table of many textbooks."),
            text("a table of facts, written out for this package"),
            "J. R. Quinlan, Induction of decision trees, Machine Learning 1 (1986)",
        ),
        Dataset(
            "weather",
            "class",
            text("The 14 days of play as Quinlan printed them: Outlook Sunny, Overcast or Rain, class P or N."),
            text("a table of facts, written out for this package"),
            "J. R. Quinlan, Induction of decision trees, Machine Learning 1 (1986)",
        ),
        Dataset(
            "penguins",
            "species",
            text(
                "344 penguins of three species from the Palmer Archipelago: four measures, island, sex and year; 19 "
                "values are missing."
            ),
            text("CC0 1.0 (no rights reserved), under the Palmer Station LTER data policy"),
            "K. B. Gorman, T. D. Williams, W. R. Fraser, PLoS ONE 9(3) (2014) e90081; collected as palmerpenguins by "
            "A. M. Horst, A. P. Hill and K. B. Gorman",
        ),
        Dataset(
            "iris",
            "species",
            text("150 iris flowers of three species: length and width of sepal and petal."),
            _WITH_SCIKIT_LEARN,
            "R. A. Fisher, Annals of Eugenics 7 (1936)",
        ),
        Dataset(
            "wine",
            "cultivar",
            text("178 wines of three cultivars: 13 chemical measures."),
            _WITH_SCIKIT_LEARN,
            "M. Forina et al., PARVUS (1988)",
        ),
        Dataset(
            "breast-cancer",
            "diagnosis",
            text("569 breast masses, malignant or benign: 30 measures of cell nuclei."),
            _WITH_SCIKIT_LEARN,
            "W. H. Wolberg, W. N. Street, O. L. Mangasarian, Wisconsin diagnostic data (1995)",
        ),
        Dataset(
            "digits",
            "digit",
            text("1797 handwritten digits: 64 pixels of an 8 by 8 image, each from 0 to 16."),
            _WITH_SCIKIT_LEARN,
            "E. Alpaydin, C. Kaynak, Optical recognition of handwritten digits (1998)",
        ),
    )
}
_LOADERS: dict[str, Callable[[], Table]] = {
    "play": _load_play,
    "weather": _load_weather,
    "penguins": _load_penguins,
} | {
    name: partial(_load_from_scikit_learn, name, entry.target)
    for name, entry in _ENTRIES.items()
    if entry.licence == _WITH_SCIKIT_LEARN
}
