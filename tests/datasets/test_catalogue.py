"""The tables that come with the package are whole, described and licensed."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio import datasets
from vaglio.errors import InputError

SHAPES = {
    "play": (14, 5),
    "weather": (14, 5),
    "penguins": (344, 8),
    "iris": (150, 5),
    "wine": (178, 14),
    "breast-cancer": (569, 31),
    "digits": (1797, 65),
}


def test_names_are_sorted_and_complete():
    assert datasets.names() == sorted(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_every_table_loads_with_its_target(name):
    table = datasets.load(name)
    assert table.shape == SHAPES[name]
    entry = datasets.describe(name)
    assert table.target == entry.target
    assert entry.description
    assert entry.licence
    assert entry.source
    X, y = table.xy()
    assert X.shape == (SHAPES[name][0], SHAPES[name][1] - 1)
    assert len(np.unique(y)) == {"play": 2, "weather": 2, "breast-cancer": 2, "digits": 10}.get(name, 3)


def test_weather_is_play_under_the_names_of_the_article():
    """The counts, and so every calculation, are the same."""
    weather, play = datasets.load("weather"), datasets.load("play")
    assert list(weather.columns) == ["Outlook", "Temperature", "Humidity", "Windy", "class"]
    assert weather[2:4].to_frame().values.tolist() == [
        ["Overcast", "hot", "high", "false", "P"],
        ["Rain", "mild", "high", "false", "P"],
    ]
    models = [vaglio.ID3Classifier().fit(*table.xy()).fitted_.model for table in (weather, play)]
    assert models[0].size() == models[1].size()


def test_play_has_the_notes_counts():
    table = datasets.load("play")
    X, y = table.xy()
    assert X.columns == ("outlook", "temperature", "humidity", "windy")
    assert np.unique(y, return_counts=True)[1].tolist() == [5, 9]
    assert np.bincount(table.column("outlook").data).tolist() == [5, 4, 5]
    assert np.bincount(table.column("temperature").data).tolist() == [4, 6, 4]
    sunny = table["outlook"] == "sunny"
    assert (table["play"][sunny] == "yes").sum() == 2


def test_penguins_count():
    table = datasets.load("penguins")
    assert sum(table.column(name).n_missing for name in table.columns) == 19
    species, counts = np.unique(table.xy()[1], return_counts=True)
    assert dict(zip(species.tolist(), counts.tolist())) == {"Adelie": 152, "Chinstrap": 68, "Gentoo": 124}
    assert table["bill_length_mm"][0] == 39.1


def test_unknown_name_is_helped():
    with pytest.raises(InputError, match="no dataset 'pinguins': did you mean 'penguins'"):
        datasets.load("pinguins")
