"""Models that compute with encoded rows, as nodes of a graph: linear ones, networks, machines, neighbours, Bayes.

Every function returns the outputs (n, classes) and the codes of the classes decided for (n,).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.export.export_node import (
    AS_IT_IS,
    DECIDE,
    EXPONENTIAL,
    EXPONENTIAL_OF_SCORE,
    GAUSSIAN,
    INTERVAL,
    KERNEL,
    LOGISTIC,
    LOGIT,
    POISSON,
    SOFTMAX,
    SOFTMAX_OF_SCORES,
    TABLE,
    ExportNode,
    factors,
)
from vaglio.export.onnx.graph import Graph
from vaglio.export.source import MOST_NUMBERS
from vaglio.messages.message import text

__all__ = ["bayes", "boosted", "gaussian", "linear", "lines", "machine", "neighbors", "network"]

Answer = tuple[str, str]

# Columns of a joint density: the determinant and the inverse are computed in the graph, since values may be missing.
MOST_JOINT = 64


def _encoded(graph: Graph, node: ExportNode, x: str) -> str:
    """The encoded row: standardised numbers, and a 1 in the column of each category."""
    fields = node.fields
    number = graph.columns(x, fields["number"])
    filled = graph("Where", graph("IsNaN", number), fields["fill"], number)
    scaled = graph("Clip", graph("Div", graph("Sub", filled, fields["centre"]), fields["scale"]), -1e100, 1e100)
    place = np.zeros((len(fields["number"]), fields["width"]))
    place[np.arange(len(place)), fields["number_column"]] = 1.0
    found: str = graph("MatMul", scaled, place) if len(place) else ""
    for i, j in enumerate(fields["nominal"].tolist()):
        columns = fields["nominal_column"][fields["nominal_start"][i] : fields["nominal_start"][i + 1]]
        rows = np.zeros((len(columns) + 1, fields["width"]))  # the last is that of a missing category
        rows[np.flatnonzero(columns >= 0), columns[columns >= 0]] = fields["height"][columns[columns >= 0]]
        added = graph("Gather", rows, _codes(graph, x, j, len(columns)), axis=0)
        found = graph("Add", found, added) if found else added
    return found


def _codes(graph: Graph, x: str, column: int, missing: int) -> str:
    """The codes of a column (n,), with the position that stands for a missing one."""
    value = graph("Gather", x, np.array(column), axis=1)
    found: str = graph.whole(graph("Where", graph("IsNaN", value), float(missing), value))
    return found


def _decided(graph: Graph, out: str) -> Answer:
    return out, graph.first_largest(out)


def _two(graph: Graph, value: str) -> Answer:
    """Two classes from the log-odds (n, 1) of the second."""
    codes = graph.whole(graph("Squeeze", graph("Greater", value, 0.0), np.array([1])))
    return graph("Concat", graph("Sigmoid", graph("Neg", value)), graph("Sigmoid", value), axis=1), codes


def linear(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add a linear model."""
    fields = node.fields
    n = fields["n_values"]
    number = _multiplied(graph, [factors(fields, i) for i in range(len(fields["centre"]))], x)
    filled = graph("Where", graph("IsNaN", number), fields["fill"], number)
    scaled = graph("Clip", graph("Div", graph("Sub", filled, fields["centre"]), fields["scale"]), -1e100, 1e100)
    values: str = graph("Add", graph("MatMul", scaled, fields["number_coef"].reshape(-1, n)), fields["intercept"][None])
    for i, j in enumerate(fields["nominal"].tolist()):
        table = fields["nominal_coef"][fields["nominal_start"][i] : fields["nominal_start"][i + 1]].reshape(-1, n)
        rows = np.vstack([table, np.zeros(n)])
        values = graph("Add", values, graph("Gather", rows, _codes(graph, x, j, len(table)), axis=0))
    return _linked(graph, node, values)


def _multiplied(graph: Graph, products: list[list[int]], x: str) -> str:
    """The product of each list of columns; a product with a missing factor is missing."""
    found = graph.columns(x, [columns[0] for columns in products])
    for place in range(1, max(map(len, products), default=0)):
        more = np.array([place < len(columns) for columns in products])
        factor = graph.columns(x, [columns[min(place, len(columns) - 1)] for columns in products])
        found = graph("Mul", found, graph("Where", more, factor, 1.0))
    return found


def lines(graph: Graph, node: ExportNode, x: str, leaf: str) -> Answer:
    """Add linear models, of which that of a row's leaf counts; ``leaf`` (n, 1) has their numbers."""
    fields = node.fields
    at = graph.whole(graph("Squeeze", leaf, np.array([1])))
    total: str = graph("Gather", fields["intercept"][:, None], at, axis=0)
    # Each encoded column that some leaf uses is computed once; a leaf without it gives it a coefficient of 0.
    origin = np.column_stack([fields["column"], fields["category"]])
    used, first, which = np.unique(origin, axis=0, return_index=True, return_inverse=True)
    if len(used) * len(fields["intercept"]) > MOST_NUMBERS:
        raise NotSupportedError(
            "too-many-numbers",
            "it has more than {most_elements:,} numbers; train a smaller one",
            most_elements=MOST_NUMBERS,
        )
    table = np.zeros((len(fields["intercept"]), len(used)))
    table[np.repeat(np.arange(len(table)), np.diff(fields["start"])), which.ravel()] = fields["coef"]
    for made, own in ((_scaled, used[:, 1] < 0), (_hits, used[:, 1] >= 0)):
        if own.any():
            weighed = graph("Mul", made(graph, fields, x, first[own]), graph("Gather", table[:, own], at, axis=0))
            total = graph("Add", total, graph.total(weighed))
    return graph("Clip", total, *map(float, fields["bounds"])), ""


def _scaled(graph: Graph, fields: dict[str, Any], x: str, terms: np.ndarray) -> str:
    """The standardised numbers of terms."""
    number = graph.columns(x, fields["column"][terms])
    filled = graph("Where", graph("IsNaN", number), fields["fill"][terms], number)
    scaled = graph("Div", graph("Sub", filled, fields["centre"][terms]), fields["scale"][terms])
    return str(graph("Clip", scaled, -1e100, 1e100))


def _hits(graph: Graph, fields: dict[str, Any], x: str, terms: np.ndarray) -> str:
    """Where the columns of terms have their categories: 1 or 0."""
    found = graph.columns(x, fields["column"][terms])
    return graph.number(graph("Equal", found, fields["category"][terms].astype(np.float64)[None]))


def _linked(graph: Graph, node: ExportNode, values: str) -> Answer:
    """From the values of a linear model, or of machines, to outputs."""
    fields, k = node.fields, node.outputs
    single = len(fields["intercept"]) == 1
    if fields["link"] == AS_IT_IS:
        return values, ""
    if fields["link"] == LOGISTIC:
        return _two(graph, values)
    if fields["link"] == SOFTMAX:
        return graph("Softmax", values, axis=1), graph.first_largest(values)
    scores = deciding = values
    if fields["pairs"]:
        deciding, scores = _votes(graph, values, k, bool(fields["break_ties"]))
    codes = _two(graph, values)[1] if single else graph.first_largest(deciding)
    if fields["link"] == DECIDE:
        return graph.one_hot(codes, k), codes
    slope, shift = fields["calibration"].reshape(-1, 2).T
    power = graph("Add", graph("Mul", scores, slope), shift)
    if single:
        return _two(graph, power)[0], codes
    chance = graph("Sigmoid", power)
    total = graph.total(chance)
    some = graph("Greater", total, 0.0)
    return graph("Where", some, graph("Div", chance, graph("Where", some, total, 1.0)), 1.0 / k), codes


def boosted(graph: Graph, node: ExportNode, means: list[str]) -> Answer:
    """Add what scores become, from the means of the trees of each."""
    fields = node.fields
    scores = means[0] if len(means) == 1 else graph("Concat", *means, axis=1)
    scores = graph("Add", graph("Mul", scores, float(fields["rounds"])), fields["baseline"][None])
    if fields["link"] == LOGIT:
        return _two(graph, scores)
    if fields["link"] == SOFTMAX_OF_SCORES:
        return graph("Softmax", scores, axis=1), graph.first_largest(scores)
    return (graph("Exp", graph("Min", scores, 700.0)) if fields["link"] == EXPONENTIAL_OF_SCORE else scores), ""


def _votes(graph: Graph, values: str, k: int, break_ties: bool) -> tuple[str, str]:
    """From the machines of all pairs of classes to votes, and to votes with the confidence in them."""
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    first, second = np.zeros((len(pairs), k)), np.zeros((len(pairs), k))
    for row, (a, b) in enumerate(pairs):
        first[row, a], second[row, b] = 1.0, 1.0
    won = graph.number(graph("Greater", values, 0.0))
    votes = graph("Add", graph("MatMul", won, first), graph("MatMul", graph("Sub", 1.0, won), second))
    sums = graph("MatMul", values, first - second)
    squeezed = graph("Div", sums, graph("Mul", 3.0, graph("Add", graph("Abs", sums), 1.0)))
    confident: str = graph("Add", votes, squeezed)
    return confident if break_ties else votes, confident


def network(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add a multi-layer perceptron."""
    fields = node.fields
    rows = _encoded(graph, node, x)
    name = {"logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}.get(fields["activation"])
    for layer in range(fields["layers"]):
        rows = graph("Add", graph("MatMul", rows, fields[f"weight_{layer}"]), fields[f"bias_{layer}"])
        if name and layer + 1 < fields["layers"]:
            rows = graph(name, rows)
    if fields["of_numbers"]:
        return rows, ""
    return _two(graph, rows) if node.outputs == 2 else _decided(graph, graph("Softmax", rows, axis=1))


def machine(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add a support vector machine with a kernel."""
    fields = node.fields
    rows, vectors = _encoded(graph, node, x), fields["vectors"]
    product = graph("MatMul", rows, vectors.T)
    if fields["kernel"] == "rbf":
        squares = graph("Add", graph.total(graph("Mul", rows, rows)), (vectors**2).sum(axis=1)[None])
        distance = graph("Max", graph("Sub", squares, graph("Mul", 2.0, product)), 0.0)
        kernel = graph("Exp", graph("Mul", -float(fields["gamma"]), distance))
    else:
        kernel = graph("Add", graph("Mul", float(fields["gamma"]), product), float(fields["coef0"]))
        if fields["kernel"] == "poly":
            kernel = graph("Pow", kernel, float(fields["degree"]))
        elif fields["kernel"] == "sigmoid":
            kernel = graph("Tanh", kernel)
        else:
            kernel = product
    values = graph("Add", graph("MatMul", kernel, fields["dual_coef"].T), fields["intercept"][None])
    return _linked(graph, node, values)


def neighbors(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add the nearest of stored rows."""
    fields = node.fields
    if fields["metric"] not in ("euclidean", "manhattan", "chebyshev", "minkowski") or fields["absent"].size:
        what = (
            text("asymmetric columns")
            if fields["absent"].size
            else text("the metric {metric!r}", metric=fields["metric"])
        )
        raise NotSupportedError("distance-not-in-onnx", "ONNX has no distances with {what}", what=what)
    distance = _distances(graph, node, x)
    near, rows = graph("TopK", distance, np.array([fields["k"]]), outputs=2, axis=1, largest=0, sorted=1)
    if fields["metric"] == "euclidean":
        near = graph("Sqrt", near)
    elif fields["metric"] == "minkowski":
        near = graph("Pow", near, 1.0 / fields["power"])
    weight = _vote_weights(graph, node, near)
    if fields["weight"].size:
        count = graph("Gather", fields["weight"], rows, axis=0)
        weight = graph("Mul", weight, graph("Div", count, graph("ReduceMax", count, np.array([1]))))
    target = graph("Gather", fields["target"], rows, axis=0)
    if node.fields["numbers_out"]:
        total = graph("Div", graph.total(graph("Mul", target, weight)), graph.total(weight))
        return total, ""
    classes = graph("Equal", graph("Unsqueeze", target, np.array([2])), np.arange(node.outputs, dtype=np.float64))
    sums = graph("Mul", graph.number(classes), graph("Unsqueeze", weight, np.array([2])))
    return _decided(graph, graph.share(graph.total(sums, 1, 0)))


def _distances(graph: Graph, node: ExportNode, x: str) -> str:
    """Distances (n, stored rows) in the order of the metric, column by column: a missing value counts 1."""
    fields = node.fields
    power = {"euclidean": 2.0, "minkowski": fields["power"]}.get(fields["metric"], 1.0)
    combine = "Max" if fields["metric"] == "chebyshev" else "Add"
    found = ""
    for i, j in enumerate(fields["number"].tolist()):
        asked = graph("Div", graph.columns(x, [j]), float(fields["scale"][i]))
        difference = graph("Abs", graph("Sub", asked, fields["numbers"][:, i][None]))
        difference = graph("Where", graph("IsNaN", difference), 1.0, difference)
        if power == 2.0:
            difference = graph("Mul", difference, difference)
        elif power != 1.0:
            difference = graph("Pow", difference, power)
        found = graph(combine, found, difference) if found else difference
    for i, j in enumerate(fields["nominal"].tolist()):
        same = graph("Equal", graph.columns(x, [j]), fields["codes"][:, i][None])
        difference = graph("Mul", graph.number(graph("Not", same)), fields["cost"][i])
        found = graph(combine, found, difference) if found else difference
    return found


def _vote_weights(graph: Graph, node: ExportNode, distance: str) -> str:
    """Alike, or by distance relative to the nearest; a row at distance 0 decides alone with its like."""
    if node.fields["vote"] == "uniform":
        return str(graph("Add", graph("Mul", distance, 0.0), 1.0))
    power = 2.0 if node.fields["vote"] == "squared_distance" else 1.0
    nearest = graph.columns(distance, [0])
    same = graph.number(graph("Equal", distance, 0.0))
    ratio = graph("Div", nearest, graph("Where", graph("Equal", distance, 0.0), 1.0, distance))
    return str(graph("Where", graph("Equal", nearest, 0.0), same, graph("Pow", ratio, power)))


# -- Bayes -----------------------------------------------------------------------------------------------------------
def bayes(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add naive Bayes."""
    return _posterior(graph, node, _joint(graph, node, x))


def _posterior(graph: Graph, node: ExportNode, joint: str) -> Answer:
    """From log P(x, c) to P(c|x); where every class is ruled out the priors count."""
    prior = (node.members[0] if node.members else node).fields["prior"][None]
    top = graph("ReduceMax", joint, np.array([1]))
    joint = graph("Where", graph("Equal", top, -np.inf), prior, joint)
    top = graph("ReduceMax", joint, np.array([1]))
    return _decided(graph, graph.share(graph("Exp", graph("Sub", joint, top))))


def _joint(graph: Graph, node: ExportNode, x: str) -> str:
    fields, k = node.fields, node.outputs
    rows = graph("Slice", graph("Shape", x), np.array([0]), np.array([1]))
    joint: str = graph("Expand", fields["prior"][None], graph("Concat", rows, np.array([k]), axis=0))
    for t, j in enumerate(fields["feature"].tolist()):
        numbers = fields["numbers"][fields["start"][t] : fields["start"][t + 1]]
        joint = graph("Add", joint, _term(graph, int(fields["term"][t]), int(fields["size"][t]), numbers, k, x, j))
    return joint


def _term(graph: Graph, kind: int, size: int, numbers: np.ndarray, k: int, x: str, column: int) -> str:
    """What one column adds (n, classes): 0 where the value is missing, or says nothing."""
    if kind == TABLE:
        rows = np.vstack([numbers.reshape(-1, k), np.zeros(k)])
        return str(graph("Gather", rows, _codes(graph, x, column, len(rows) - 1), axis=0))
    value = graph.columns(x, [column])
    if kind <= 3 and kind != GAUSSIAN:  # a table of intervals or values
        points = numbers[: size - 1 if kind == INTERVAL else size]
        rows = np.vstack([numbers[len(points) :].reshape(-1, k), np.zeros(k)])
        if kind == INTERVAL:
            cell = graph.total(graph.number(graph("LessOrEqual", points[None], value)), 1, 0)
        else:
            hit = graph.number(graph("Equal", value, points[None]))
            place = graph.total(graph("Mul", hit, np.arange(1.0, len(points) + 1)[None]), 1, 0)
            cell = graph("Where", graph("Equal", place, 0.0), float(len(points)), graph("Sub", place, 1.0))
        known = graph("Not", graph("IsNaN", graph("Squeeze", value, np.array([1]))))
        return str(graph("Gather", rows, graph.whole(graph("Where", known, cell, float(len(rows) - 1))), axis=0))
    density, fits = _density(graph, kind, numbers, k, value)
    return str(graph("Where", fits, density, 0.0))


def _density(graph: Graph, kind: int, numbers: np.ndarray, k: int, value: str) -> tuple[str, str]:
    """Log density (n, classes), and where it counts (n, 1)."""
    known = graph("Not", graph("IsNaN", value))
    if kind == KERNEL:
        return _kernel_density(graph, numbers, k, value), known
    mean, second = numbers[:k][None], numbers[k : 2 * k][None]
    if kind == GAUSSIAN:
        away = graph("Sub", value, mean)
        return graph("Sub", numbers[2 * k :][None], graph("Mul", graph("Mul", away, away), second)), known
    # What all classes have in common, as log n!, makes no difference between them.
    positive = graph("GreaterOrEqual", value, 0.0)
    if kind == POISSON:
        whole = graph("And", positive, graph("Equal", value, graph("Floor", value)))
        return graph("Sub", graph("Mul", value, np.log(mean)), mean), whole
    if kind == EXPONENTIAL:
        return graph("Sub", graph("Neg", graph("Div", value, mean)), np.log(mean)), positive
    above = graph("Greater", value, 0.0)
    away = graph("Sub", graph("Log", graph("Where", above, value, 1.0)), mean)
    power = graph("Add", graph("Div", graph("Mul", away, away), second), np.log(2 * np.pi * second))
    return graph("Mul", -0.5, power), above


def _kernel_density(graph: Graph, numbers: np.ndarray, k: int, value: str) -> str:
    parts, at = [], 0
    for _ in range(k):
        n, width, scale = int(numbers[at]), float(numbers[at + 1]), float(numbers[at + 2])
        points, weights = numbers[at + 3 : at + 3 + n], numbers[at + 3 + n : at + 3 + 2 * n]
        at += 3 + 2 * n
        away = graph("Div", graph("Sub", value, points[None]), width)
        power = graph("Mul", -0.5, graph("Mul", away, away))
        power = graph("Add", power, np.log(weights)[None])
        top = graph("ReduceMax", power, np.array([1]))
        safe = graph("Where", graph("Equal", top, -np.inf), 0.0, top)
        total = graph("Log", graph.total(graph("Exp", graph("Sub", power, safe))))
        parts.append(graph("Sub", graph("Add", total, safe), scale))
    found: str = graph("Concat", *parts, axis=1)
    return found


def gaussian(graph: Graph, node: ExportNode, x: str) -> Answer:
    """Add normal densities over several columns together, and naive Bayes over the others.

    The density of what is known has the same part of mean and covariance. In its place stands the whole covariance with
    rows and columns of the missing values replaced by those of the identity, which has the same determinant and, with
    differences of 0, the same distance; it is eliminated column by column, all rows and components together.
    """
    fields = node.fields
    p = len(fields["feature"])
    joint = _joint(graph, node.members[0], x)
    if p == 0:
        return _posterior(graph, node, joint)
    if p > MOST_JOINT:
        raise NotSupportedError(
            "joint-density-too-large",
            "its joint density has {n_columns} columns, and at most {most_joint} can be written",
            n_columns=p,
            most_joint=MOST_JOINT,
        )
    value = graph.columns(x, fields["feature"])
    known = graph.number(graph("Not", graph("IsNaN", value)))
    away = graph("Unsqueeze", graph("Where", graph("IsNaN", value), 0.0, value), np.array([1]))
    rest = graph("Mul", graph("Sub", away, fields["mean"][None]), graph("Unsqueeze", known, np.array([1])))
    both = graph("Mul", graph("Unsqueeze", known, np.array([2])), graph("Unsqueeze", known, np.array([1])))
    lacking = graph("Mul", graph("Unsqueeze", graph("Sub", 1.0, known), np.array([2])), np.eye(p)[None])
    matrix = graph("Mul", graph("Unsqueeze", both, np.array([1])), fields["covariance"][None])
    matrix = graph("Add", matrix, graph("Unsqueeze", lacking, np.array([1])))
    terms = []
    for j in range(p):
        column = graph("Gather", matrix, np.array(j), axis=3)  # (n, components, p)
        pivot = graph("Gather", column, np.array([j]), axis=2)
        first = graph("Gather", rest, np.array([j]), axis=2)
        terms.append(graph("Add", graph("Log", pivot), graph("Div", graph("Mul", first, first), pivot)))
        if j + 1 < p:
            factor = graph("Div", column, pivot)
            rest = graph("Sub", rest, graph("Mul", factor, first))
            outer = graph("Mul", graph("Unsqueeze", factor, np.array([3])), graph("Unsqueeze", column, np.array([2])))
            matrix = graph("Sub", matrix, outer)
    total = graph.total(graph("Concat", *terms, axis=2), 2, 0)
    constant = graph("Mul", graph.total(known), math.log(2 * math.pi))
    density = graph("Mul", -0.5, graph("Add", total, constant))
    return _posterior(graph, node, graph("Add", joint, _mixed(graph, fields, density)))


def _mixed(graph: Graph, fields: dict[str, Any], density: str) -> str:
    """From components (n, m) to classes."""
    weighted = graph("Add", density, fields["log_weight"][None])
    parts = [
        graph("ReduceLogSumExp", graph.columns(weighted, np.arange(a, b)), np.array([1]))
        for a, b in zip(fields["start"][:-1], fields["start"][1:])
    ]
    found: str = graph("Concat", *parts, axis=1)
    return found
