"""Generated tables: one family per difficulty that real tables have.

None of them was used to choose a default, but for one: twenty-values and many-values-that-tell decided how much a
difference counts in a column of many values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Made = tuple[pd.DataFrame, np.ndarray]
Family = Callable[[np.random.Generator], Made]
FAMILIES: dict[str, Family] = {}


def _family(make: Family) -> Family:
    FAMILIES[make.__name__.replace("_", "-")] = make
    return make


def make(name: str, seed: int) -> Made:
    """Return the table of a family; the same name and seed give the same table."""
    X, y = FAMILIES[name](np.random.default_rng([seed, *name.encode()]))
    return X, np.array([f"c{label}" for label in y])


def _frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def _draw(random: np.random.Generator, score: np.ndarray, sharp: float = 2.0) -> np.ndarray:
    """Return two classes whose log-odds are the standardised score times ``sharp``."""
    score = (score - score.mean()) / score.std()
    return (random.random(len(score)) < 1 / (1 + np.exp(-sharp * score))).astype(int)


def _letters(codes: np.ndarray) -> list[str]:
    return [f"v{code}" for code in codes]


# -- numbers -----------------------------------------------------------------------------------------------------------
@_family
def linear(random: np.random.Generator) -> Made:
    values = random.normal(size=(300, 8))
    return _frame(values), _draw(random, values @ random.normal(size=8), 4)


@_family
def exclusive_or(random: np.random.Generator) -> Made:
    values = random.uniform(-1, 1, (400, 6))
    flipped = random.random(400) < 0.05
    return _frame(values), ((values[:, 0] > 0) ^ (values[:, 1] > 0) ^ flipped).astype(int)


@_family
def three_way_interaction(random: np.random.Generator) -> Made:
    values = random.normal(size=(500, 8))
    return _frame(values), _draw(random, np.sign(values[:, 0] * values[:, 1] * values[:, 2]) + values[:, 3], 3)


@_family
def many_noise_columns(random: np.random.Generator) -> Made:
    values = random.normal(size=(250, 40))
    return _frame(values), _draw(random, values[:, 0] + values[:, 1] - values[:, 2], 4)


@_family
def heavy_tails(random: np.random.Generator) -> Made:
    y = random.integers(0, 3, 350)
    return _frame(random.standard_t(1.5, (350, 6)) + np.outer(y, [1.5, 1, 0.5, 0, 0, 0])), y


@_family
def skewed_amounts(random: np.random.Generator) -> Made:
    y = random.integers(0, 2, 300)
    return _frame(np.exp(random.normal(size=(300, 6)) * 1.5 + np.outer(y, [1, 1, 0.5, 0.5, 0, 0]))), y


@_family
def correlated(random: np.random.Generator) -> Made:
    y = random.integers(0, 3, 310)
    common = random.normal(size=(310, 2)) @ random.normal(size=(2, 6))
    return _frame(common + 0.4 * random.normal(size=(310, 6)) + np.outer(y, [0.6, -0.6, 0.3, 0, 0, 0.3])), y


@_family
def repeated_columns(random: np.random.Generator) -> Made:
    values = random.normal(size=(250, 4))
    y = _draw(random, values[:, 0] + 0.7 * values[:, 1], 3)
    return _frame(np.column_stack([values, values[:, [1]] + 0.01 * random.normal(size=(250, 4))])), y


@_family
def rings(random: np.random.Generator) -> Made:
    values = random.normal(size=(400, 4))
    return _frame(values), np.digitize(
        np.hypot(values[:, 0], values[:, 1]) + 0.15 * random.normal(size=400), [0.8, 1.6]
    )


@_family
def checkerboard(random: np.random.Generator) -> Made:
    values = random.uniform(0, 4, (600, 3))
    return _frame(values), (np.floor(values[:, 0]) + np.floor(values[:, 1])).astype(int) % 2


@_family
def small_and_wide(random: np.random.Generator) -> Made:
    y = random.integers(0, 2, 60)
    return _frame(random.normal(size=(60, 20)) + np.outer(y, np.r_[np.ones(4), np.zeros(16)])), y


@_family
def many_classes(random: np.random.Generator) -> Made:
    y = random.integers(0, 12, 480)
    return _frame(random.normal(size=(12, 8))[y] * 1.4 + random.normal(size=(480, 8))), y


@_family
def rare_class(random: np.random.Generator) -> Made:
    values = random.normal(size=(600, 6))
    return _frame(values), (values[:, 0] + values[:, 1] + 0.7 * random.normal(size=600) > 2.6).astype(int)


@_family
def uneven_classes(random: np.random.Generator) -> Made:
    y = random.choice(5, 400, p=[0.55, 0.25, 0.12, 0.05, 0.03])
    return _frame(random.normal(size=(5, 6))[y] * 1.3 + random.normal(size=(400, 6))), y


@_family
def wrong_labels(random: np.random.Generator) -> Made:
    values = random.normal(size=(350, 6))
    y = (values[:, 0] - values[:, 1] > 0).astype(int)
    return _frame(values), np.where(random.random(350) < 0.2, 1 - y, y)


@_family
def counts(random: np.random.Generator) -> Made:
    y = random.integers(0, 3, 300)
    return _frame(random.poisson(np.array([[1, 2, 4, 2, 1], [2, 2, 2, 4, 1], [1, 4, 2, 2, 1]])[y]).astype(float)), y


@_family
def mostly_zero(random: np.random.Generator) -> Made:
    y = random.integers(0, 2, 350)
    present = random.random((350, 10)) < np.where(y[:, None] == 1, 0.35, 0.15)
    return _frame(np.where(present, random.exponential(size=(350, 10)), 0.0)), y


@_family
def coarse_numbers(random: np.random.Generator) -> Made:
    values = random.normal(size=(300, 6))
    return _frame(values.round(0)), _draw(random, values[:, 0] + values[:, 1] * values[:, 2], 4)


@_family
def drift(random: np.random.Generator) -> Made:
    time = np.sort(random.uniform(0, 1, 400))
    values = random.normal(size=(400, 4))
    y = (values[:, 0] * np.cos(3 * time) + values[:, 1] * np.sin(3 * time) + 0.3 * random.normal(size=400) > 0).astype(
        int
    )
    return _frame(np.column_stack([time, values])), y


# -- missing values ----------------------------------------------------------------------------------------------------
@_family
def missing_at_random(random: np.random.Generator) -> Made:
    y = random.integers(0, 3, 350)
    X = _frame(random.normal(size=(350, 6)) + np.outer(y, [1, -1, 0.5, 0.5, 0, 0]))
    return X.mask(random.random(X.shape) < 0.2), y


@_family
def missing_by_class(random: np.random.Generator) -> Made:
    y = random.integers(0, 2, 300)
    X = _frame(random.normal(size=(300, 6)) + np.outer(y, [0.8, 0.4, 0, 0, 0, 0]))
    return X.mask(random.random(X.shape) < np.where(y[:, None] == 1, 0.3, 0.1)), y


# -- categories --------------------------------------------------------------------------------------------------------
@_family
def categories(random: np.random.Generator) -> Made:
    codes = random.integers(0, 4, (350, 8))
    y = _draw(random, (random.normal(size=(8, 4))[np.arange(8), codes])[:, :5].sum(axis=1), 3)
    return _frame(codes).apply(lambda column: _letters(column)), y


@_family
def rules_of_categories(random: np.random.Generator) -> Made:
    codes = random.integers(0, 3, (400, 8))
    first = (codes[:, 0] == 0) & (codes[:, 1] != 2)
    second = (codes[:, 2] == 1) & (codes[:, 3] == 2)
    return _frame(codes).apply(lambda column: _letters(column)), (
        (first | second) ^ (random.random(400) < 0.05)
    ).astype(int)


@_family
def mixed(random: np.random.Generator) -> Made:
    values, codes = random.normal(size=(400, 4)), random.integers(0, 5, (400, 4))
    y = _draw(random, values[:, 0] + random.normal(size=5)[codes[:, 0]] + values[:, 1] * (codes[:, 1] == 0), 4)
    X = _frame(values)
    return X.assign(**{f"k{j}": _letters(codes[:, j]) for j in range(4)}), y


@_family
def twenty_values(random: np.random.Generator) -> Made:
    codes, values = random.integers(0, 20, 500), random.normal(size=(500, 3))
    y = _draw(random, random.normal(size=20)[codes] + 0.7 * values[:, 0], 4)
    return _frame(values).assign(place=_letters(codes)), y


@_family
def many_values_that_tell(random: np.random.Generator) -> Made:
    codes, values = random.integers(0, 60, 600), random.normal(size=(600, 3))
    y = _draw(random, 1.5 * random.normal(size=60)[codes] + 0.7 * values[:, 0], 4)
    return _frame(values).assign(customer=_letters(codes)), y


@_family
def many_values_of_noise(random: np.random.Generator) -> Made:
    values, codes = random.normal(size=(400, 4)), random.integers(0, 100, (400, 3))
    y = _draw(random, values[:, 0] + values[:, 1], 4)
    return _frame(values).assign(**{f"number{j}": _letters(codes[:, j]) for j in range(3)}), y


@_family
def categories_with_gaps(random: np.random.Generator) -> Made:
    codes = random.integers(0, 6, (300, 8))
    y = _draw(random, (random.normal(size=(8, 6))[np.arange(8), codes])[:, :4].sum(axis=1), 4)
    X = _frame(codes).apply(lambda column: _letters(column))
    return X.mask(random.random(X.shape) < 0.25), y
