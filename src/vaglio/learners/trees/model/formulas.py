"""A model tree in the user's terms: for each leaf its conditions, and its linear model in the units of the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.encode import DenseEncoder, Feature
from vaglio.learners.trees.model.model_tree import ModelTree
from vaglio.learners.trees.model.rules import leaf_conditions
from vaglio.messages.figures import figure
from vaglio.messages.message import Message, Number, join, text
from vaglio.model.condition import Condition, condition_text, rule_message


def leaf_formulas(
    model: ModelTree, features: tuple[Feature, ...], most: int | None = None
) -> Iterator[tuple[int, tuple[Condition, ...], Message]]:
    """Yield each leaf with its conditions and what it predicts, such as ``y = 3.2 + 1.5·x``, from left to right."""
    for leaf, conditions in leaf_conditions(model.tree, features):
        yield leaf, conditions, formula(model, leaf, most)


def in_units_of_the_table(model: ModelTree, leaf: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return encoded columns, coefficients and intercept of a leaf, for the numbers as the table has them."""
    columns, coef = model.terms(leaf)
    return columns, *_in_original_units(model.encoder, columns, coef, float(model.intercept[leaf]))


def _in_original_units(
    encoder: DenseEncoder, columns: np.ndarray, coef: np.ndarray, intercept: float
) -> tuple[np.ndarray, float]:
    whole = np.zeros((1, encoder.width))
    whole[0, columns] = coef
    found, start = encoder.to_original_units(whole, np.array([intercept]))
    return found[0, columns], float(start[0])


def formula(model: ModelTree, leaf: int, most: int | None = None) -> Message:
    """Return the linear model of a leaf; beyond ``most`` terms, the rest is counted."""
    return line(model.encoder, *model.terms(leaf), float(model.intercept[leaf]), most)


def line(
    encoder: DenseEncoder, columns: np.ndarray, coef: np.ndarray, intercept: float, most: int | None = None
) -> Message:
    """Return a linear model of encoded columns in the units of the table; the terms beyond ``most`` are counted."""
    coef, intercept = _in_original_units(encoder, columns, coef, intercept)
    parts: list[str] = [figure(intercept)]
    for column, factor in list(zip(columns.tolist(), coef.tolist()))[:most]:
        size = join("·", [figure(abs(factor)), encoder.names[column]])
        parts.append(join(" ", [Number("−" if factor < 0 else "+"), size]))
    if most is not None and len(columns) > most:
        parts.append(text("… {n:,} more {n:term|terms}", n=len(columns) - most))
    return text("y = {terms}", terms=join(" ", parts))


def formulas_text(model: ModelTree, features: tuple[Feature, ...]) -> str:
    """Return the leaves as lines ``IF … THEN y = …  [rows]``."""
    return "\n".join(
        f"{rule_message(map(condition_text, conditions), said)}  [{rows_text(float(model.tree.weight[leaf]))}]"
        for leaf, conditions, said in leaf_formulas(model, features)
    )


def rows_text(weight: float) -> Message:
    """Return the weight of rows in words."""
    whole = round(weight, 2)
    return text("{n} {n:row|rows}", n=int(whole) if whole == int(whole) else whole)
