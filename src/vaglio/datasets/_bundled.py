"""The tables that ship with the package."""

from __future__ import annotations

from importlib import resources

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


def load_play() -> Table:
    """Give the 14 days, every value declared."""
    rows = [line.split() for line in _PLAY.split("\n") if line]
    columns = []
    for (name, values), cells in zip(_PLAY_VALUES.items(), zip(*rows)):
        role = "target" if name == "play" else "input"
        columns.append(Column.nominal(name, [*map(values.index, cells)], values, declared=True, role=role))
    return Table(columns)


def load_penguins() -> Table:
    """Give the 344 penguins."""
    with resources.files(__package__).joinpath("penguins.csv").open("rb") as file:
        return read(file, target="species")
