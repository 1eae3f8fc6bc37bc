"""Linear models: a sum over the columns for each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.export_node import AS_IT_IS, DECIDE, LOGISTIC, SOFTMAX, Exporter, ExportNode
from vaglio.fitted.one_row import LOGISTIC_LINK, NO_LINK, SOFTMAX_LINK
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.model.base import Model


# Factors of all products of columns; more are computed for many rows at once, and are not written out.
_MOST_FACTORS = 1_000_000


def node_of_linear(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    link = LOGISTIC if len(model.intercept) == 1 else SOFTMAX
    if not model.probabilistic:
        link = DECIDE if n_classes else AS_IT_IS
    more = {"link": link, "pairs": 0, "break_ties": 0, "calibration": np.zeros(0)}
    return ExportNode("linear", max(n_classes, 1), {**weights_of(model, features), **more})


def weights_of(model: Any, features: tuple[Feature, ...]) -> dict[str, Any]:
    """Each number is standardised and weighed, each category adds its own weights; one group of weights per value.

    A number is a column, or a product of columns, whose factors are listed.
    """
    dense, coef = dense_of(model.encoder, features), np.asarray(model.coef)
    coef = coef * model.encoder.heights
    # A missing category, and one without a column, adds nothing.
    padded = np.vstack([coef.T, np.zeros(len(coef))])
    factors = factors_of(model.encoder, dense["number"])
    return {
        **{name: dense[name] for name in ("centre", "scale", "fill", "nominal")},
        "factor_start": np.cumsum([0, *map(len, factors)]),
        "factor": np.array([column for columns in factors for column in columns], dtype=np.int64),
        "n_values": len(model.intercept),
        "number_coef": coef.T[dense["number_column"]],
        "nominal_start": dense["nominal_start"] * len(coef),
        "nominal_coef": padded[dense["nominal_column"]].ravel(),
        "intercept": model.intercept,
    }


def factors_of(encoder: Any, number: np.ndarray) -> list[list[int]]:
    """The columns whose product each number of an encoded row is: one, or those of a product with their powers."""
    powers = [] if encoder.products is None else encoder.products.powers
    return [*([column] for column in number.tolist()), *(np.repeat(number, line).tolist() for line in powers)]


def dense_of(encoder: Any, features: tuple[Feature, ...]) -> dict[str, Any]:
    """What makes one encoded row of the columns: numbers to be standardised, and a column per category."""
    numbers = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    products = 0 if encoder.products is None else len(encoder.products.powers)
    known = encoder.centre.size == len(numbers) + products
    tables = [columns[:-1] for columns in encoder.columns_of_codes]
    return {
        "width": encoder.width,
        "number": np.array(numbers, dtype=np.int64),
        "centre": encoder.centre if known else np.zeros(len(numbers)),
        "scale": encoder.scale if known else np.ones(len(numbers)),
        "fill": encoder.fill if known else np.full(len(numbers), np.nan),
        "number_column": encoder.numeric_columns if known else np.arange(len(numbers)),
        "nominal": np.array([j for j, feature in enumerate(features) if feature.is_nominal], dtype=np.int64),
        "nominal_start": np.cumsum([0, *map(len, tables)]),
        "nominal_column": np.concatenate([np.zeros(0, np.int64), *tables]),
        "height": encoder.heights,
    }


def node_of_network(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    layers = {f"weight_{i}": weight for i, weight in enumerate(model.weights)}
    layers |= {f"bias_{i}": bias for i, bias in enumerate(model.biases)}
    more = {"layers": len(model.weights), "activation": model.activation, "of_numbers": int(n_classes == 0)}
    return ExportNode("network", max(n_classes, 1), {**dense_of(model.encoder, features), **more, **layers})


def compile_linear(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the sums over the columns compiled for single rows."""
    encoder = model.encoder
    known = encoder.centre.size == encoder.numeric_columns.size and not (np.abs(encoder.centre) > 1e100).any()
    if not known or _too_many_factors(model, features):
        return None
    factors = factors_of(encoder, np.arange(sum(feature.in_numeric_block for feature in features)))
    start = np.cumsum([0, *map(len, factors)])
    factor = np.array([column for columns in factors for column in columns], dtype=np.int64)
    link = NO_LINK if not model.probabilistic else LOGISTIC_LINK if len(model.intercept) == 1 else SOFTMAX_LINK
    # The last entry of each list is for missing values, which the compiled form knows by their code.
    columns = [list_of[:-1].astype(np.int64) for list_of in encoder.columns_of_codes]
    numbers = (start, factor, encoder.centre, encoder.scale, encoder.fill, encoder.numeric_columns)
    coef = np.ascontiguousarray(model.coef * encoder.heights)
    return _core.linear_scorer(*numbers, columns, coef, model.intercept, link)


def sides_of_linear(model: Model, classes: list[Any]) -> list[dict[str, Any]]:
    """Return the class that each output favours; the prediction of a number favours none."""
    if not classes:
        return [{}]
    return [{"class": label} for label in (classes[1:] if len(classes) == 2 else classes)]


def _too_many_factors(model: Any, features: tuple[Feature, ...]) -> str | None:
    products = model.encoder.products
    if products is None or products.powers.sum() <= _MOST_FACTORS:
        return None
    return text("its products of columns have more than {most:,} factors", most=_MOST_FACTORS)


EXPORTERS = {
    "linear": Exporter("linear", node_of_linear, _too_many_factors),
    "mlp": Exporter("network", node_of_network),
}
