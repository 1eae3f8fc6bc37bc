"""Load the tables: two that ship with the package, and those of scikit-learn, which is imported only for them."""

from __future__ import annotations

from importlib import resources

import numpy as np

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
# Name of the table -> function of scikit-learn.
_LOADER = {"iris": "load_iris", "wine": "load_wine", "breast-cancer": "load_breast_cancer", "digits": "load_digits"}


def load_play() -> Table:
    """Return the 14 days; all values are declared, so that every part of the table has the same categories."""
    rows = [line.split() for line in _PLAY.split("\n") if line]
    columns = []
    for (name, values), cells in zip(_PLAY_VALUES.items(), zip(*rows)):
        role = "target" if name == "play" else "input"
        columns.append(Column.nominal(name, [*map(values.index, cells)], values, declared=True, role=role))
    return Table(columns)


def load_penguins() -> Table:
    """Return the 344 penguins."""
    with resources.files(__package__).joinpath("penguins.csv").open("rb") as file:
        return read(file, target="species")


def load_from_scikit_learn(name: str, target: str) -> Table:
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
