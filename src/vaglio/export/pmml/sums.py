"""Linear models, support vector machines and naive Bayes, as the elements that PMML has for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from vaglio.errors import NotSupportedError
from vaglio.export.export_node import (
    AS_IT_IS,
    CALIBRATED,
    DECIDE,
    GAUSSIAN,
    INTERVAL,
    LOGISTIC,
    TABLE,
    VALUE,
    ExportNode,
    factors,
)
from vaglio.export.pmml.conditions import Labels
from vaglio.export.pmml.elements import Scope, apply, combined, element, field_ref, number
from vaglio.messages.message import text

__all__ = ["bayes", "linear", "machine", "one_line"]

# A probability below counts as this one: naive Bayes of PMML multiplies.
_LEAST = 1e-300


def _standardised(scope: Scope, fields: dict[str, Any], i: int, columns: list[int]) -> str:
    """A number, or a product of columns, in standard units, or what stands for a missing one."""
    centre, scale, fill = (float(fields[name][i]) for name in ("centre", "scale", "fill"))
    name = scope.number(columns[0])
    if len(columns) > 1:
        product = combined("*", [field_ref(scope.number(column)) for column in columns])
        name = scope.derive(product, ("product", *columns))
    if (centre, scale) == (0.0, 1.0) and np.isnan(fill):
        return name
    known = apply("/", apply("-", field_ref(name), centre), scale)
    if np.isnan(fill):
        return scope.derive(known, ("standard", *columns))
    absent = apply("isMissing", field_ref(name))
    return scope.derive(apply("if", absent, (fill - centre) / scale, known), ("standard", *columns))


def linear(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """Return a RegressionModel of a model with probabilities, a SupportVectorMachineModel of one that only decides."""
    fields = node.fields
    if fields["link"] == CALIBRATED:
        raise NotSupportedError(
            "calibration-not-in-pmml", "PMML has no probabilities that are calibrated separately from the decision"
        )
    if fields["link"] == DECIDE:
        return _hyperplanes(scope, node, labels, output)
    if fields["link"] == AS_IT_IS:
        return scope.model("RegressionModel", [], {}, [_table(scope, fields, 0, None)], output)
    values = range(fields["n_values"])
    tables = [_table(scope, fields, c, labels.labels[labels.place[c + (fields["link"] == LOGISTIC)]]) for c in values]
    if fields["link"] == LOGISTIC:  # two classes: the value is the log-odds of the second
        tables.append(element("RegressionTable", {"intercept": 0.0, "targetCategory": labels.labels[labels.place[0]]}))
    attributes = {"normalizationMethod": "logit" if fields["link"] == LOGISTIC else "softmax"}
    return scope.model("RegressionModel", labels.labels, attributes, tables, output)


def _table(scope: Scope, fields: dict[str, Any], c: int, category: Any) -> Element:
    n = fields["n_values"]
    numbers = fields["number_coef"].reshape(-1, n)[:, c]
    terms = [
        element(
            "NumericPredictor",
            {"name": _standardised(scope, fields, i, factors(fields, i)), "coefficient": float(coef)},
        )
        for i, coef in enumerate(numbers)
    ]
    for i, j in enumerate(fields["nominal"].tolist()):
        feature, name = scope.features[j], scope.use(j)
        coefs = fields["nominal_coef"][fields["nominal_start"][i] : fields["nominal_start"][i + 1]].reshape(-1, n)[:, c]
        terms += [
            element("CategoricalPredictor", {"name": name, "value": value, "coefficient": float(coef)})
            for value, coef in zip(feature.categories, coefs)
            if coef
        ]
    attributes = {"intercept": float(fields["intercept"][c]), "targetCategory": category}
    return element("RegressionTable", attributes, *terms)


def one_line(scope: Scope, fields: dict[str, Any], leaf: int, output: Element | None) -> Element:
    """Return the linear model of a leaf as a RegressionModel."""
    numbers, categories = [], []
    for i in range(int(fields["start"][leaf]), int(fields["start"][leaf + 1])):
        column, code, coef = int(fields["column"][i]), int(fields["category"][i]), float(fields["coef"][i])
        if code < 0:
            name = _standardised(scope, fields, i, [column])
            numbers.append(element("NumericPredictor", {"name": name, "coefficient": coef}))
        else:
            value = {"name": scope.use(column), "value": scope.features[column].categories[code]}
            categories.append(element("CategoricalPredictor", {**value, "coefficient": coef}))
    table = element("RegressionTable", {"intercept": float(fields["intercept"][leaf])}, *numbers, *categories)
    return scope.model("RegressionModel", [], {}, [table], output)


# -- machines --------------------------------------------------------------------------------------------------------
def _hyperplanes(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    fields, n = node.fields, node.fields["n_values"]
    names = [_standardised(scope, fields, i, factors(fields, i)) for i in range(len(fields["centre"]))]
    coefs = [fields["number_coef"].reshape(-1, n)]
    for i, j in enumerate(fields["nominal"].tolist()):
        table = fields["nominal_coef"][fields["nominal_start"][i] : fields["nominal_start"][i + 1]].reshape(-1, n)
        names += [_indicator(scope, j, code, 1.0) for code in range(len(table))]
        coefs.append(table)
    dictionary = element("VectorDictionary", None, _vector_fields(names))
    weights = np.vstack(coefs)
    machines = [(None, weights[:, c], float(fields["intercept"][c])) for c in range(n)]
    return _machines(scope, node, labels, output, element("LinearKernelType"), dictionary, machines)


def machine(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """Return a SupportVectorMachineModel with a kernel."""
    fields = node.fields
    if fields["link"] == CALIBRATED:
        raise NotSupportedError(
            "calibration-not-in-pmml", "PMML has no probabilities that are calibrated separately from the decision"
        )
    names = [""] * fields["width"]
    for i, at in enumerate(fields["number_column"].tolist()):
        names[at] = _standardised(scope, fields, i, [int(fields["number"][i])])
    for i, j in enumerate(fields["nominal"].tolist()):
        columns = fields["nominal_column"][fields["nominal_start"][i] : fields["nominal_start"][i + 1]]
        for code, at in enumerate(columns.tolist()):
            if at >= 0:
                names[at] = _indicator(scope, j, code, float(fields["height"][at]))
    rows = []
    for i, vector in enumerate(fields["vectors"]):
        array = element("Array", {"type": "real", "n": len(vector)})
        array.text = " ".join(map(number, vector))
        rows.append(element("VectorInstance", {"id": i}, array))
    dictionary = element("VectorDictionary", None, _vector_fields(names), *rows)
    machines = []
    for coef, intercept in zip(fields["dual_coef"], fields["intercept"]):
        chosen = np.flatnonzero(coef)
        machines.append((chosen, coef[chosen], float(intercept)))
    return _machines(scope, node, labels, output, _kernel(fields), dictionary, machines)


def _kernel(fields: dict[str, Any]) -> Element:
    gamma, coef0 = float(fields["gamma"]), float(fields["coef0"])
    if fields["kernel"] == "rbf":
        return element("RadialBasisKernelType", {"gamma": gamma})
    if fields["kernel"] == "poly":
        return element("PolynomialKernelType", {"gamma": gamma, "coef0": coef0, "degree": float(fields["degree"])})
    if fields["kernel"] == "sigmoid":
        return element("SigmoidKernelType", {"gamma": gamma, "coef0": coef0})
    return element("LinearKernelType")


def _indicator(scope: Scope, column: int, code: int, height: float) -> str:
    """The encoded column of a category: 0 where the value is missing."""
    found = field_ref(scope.indicator(column, code))
    known = found if height == 1 else apply("*", height, found)
    absent = apply("isMissing", field_ref(scope.use(column)))
    return scope.derive(apply("if", absent, 0.0, known), ("encoded", column, code))


def _vector_fields(names: list[str]) -> Element:
    return element("VectorFields", {"numberOfFields": len(names)}, *map(field_ref, names))


def _machines(
    scope: Scope,
    node: ExportNode,
    labels: Labels,
    output: Element | None,
    kernel: Element,
    dictionary: Element,
    machines: Sequence[tuple[np.ndarray | None, np.ndarray, float]],
) -> Element:
    """A positive value of a machine favours its target category."""
    if node.fields["pairs"] and node.fields["break_ties"]:
        raise NotSupportedError(
            "ties-not-in-pmml",
            "PMML counts the votes of the machines and does not break ties by decision values",
        )
    known = [labels.labels[place] for place in labels.place]
    k, number = node.outputs, node.fields["link"] == AS_IT_IS
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    made = []
    for i, (vectors, coefs, intercept) in enumerate(machines):
        first, second = (1, 0) if k == 2 else pairs[i] if node.fields["pairs"] else (i, None)
        chosen = [] if vectors is None else [element("SupportVector", {"vectorId": int(at)}) for at in vectors]
        terms = [element("Coefficient", {"value": float(coef)}) for coef in coefs]
        content = [element("SupportVectors", {"numberOfSupportVectors": len(chosen)}, *chosen)] if chosen else []
        content.append(element("Coefficients", {"absoluteValue": intercept}, *terms))
        favours = {} if number else {"targetCategory": known[first]}
        favours |= {} if second is None else {"alternateTargetCategory": known[second]}
        made.append(element("SupportVectorMachine", favours, *content))
    linear_form = all(vectors is None for vectors, _, _ in machines)
    attributes: dict[str, Any] = {"svmRepresentation": "Coefficients" if linear_form else "SupportVectors"}
    if not number:
        method = "OneAgainstOne" if node.fields["pairs"] or k == 2 else "OneAgainstAll"
        attributes |= {"classificationMethod": method, "maxWins": True, "threshold": 0.0}
    return scope.model("SupportVectorMachineModel", labels.labels, attributes, [kernel, dictionary, *made], output)


# -- naive Bayes -----------------------------------------------------------------------------------------------------
def bayes(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """Return a NaiveBayesModel."""
    fields, k = node.fields, node.outputs
    if not (np.isfinite(fields["numbers"]).all() and np.isfinite(fields["prior"]).all()):
        raise NotSupportedError(
            "zero-probabilities",
            "it has probabilities of 0, which exclude a class; train with a positive alpha",
        )
    known = [labels.labels[place] for place in labels.place]
    inputs = []
    for t, column in enumerate(fields["feature"].tolist()):
        numbers = fields["numbers"][fields["start"][t] : fields["start"][t + 1]]
        inputs.append(_input(scope, column, int(fields["term"][t]), int(fields["size"][t]), numbers, known))
    prior = np.exp(fields["prior"])
    counts = element("TargetValueCounts", None, *_counts(known, prior))
    body = [
        element("BayesInputs", None, *inputs),
        element("BayesOutput", {"fieldName": scope.target}, counts),
    ]
    assert len(prior) == k
    return scope.model("NaiveBayesModel", labels.labels, {"threshold": _LEAST}, body, output)


def _counts(known: list[Any], values: np.ndarray) -> list[Element]:
    return [element("TargetValueCount", {"value": label, "count": float(v)}) for label, v in zip(known, values)]


def _input(scope: Scope, column: int, kind: int, size: int, numbers: np.ndarray, known: list[Any]) -> Element:
    k, feature = len(known), scope.features[column]
    if kind == GAUSSIAN:
        # The second row of numbers is 1 / (2 · variance).
        stats = [
            element(
                "TargetValueStat",
                {"value": label},
                element("GaussianDistribution", {"mean": float(mean), "variance": 0.5 / float(half)}),
            )
            for label, mean, half in zip(known, numbers[:k], numbers[k : 2 * k])
        ]
        return element("BayesInput", {"fieldName": scope.number(column)}, element("TargetValueStats", None, *stats))
    if kind not in (TABLE, INTERVAL, VALUE):
        why = text("PMML has no density for column {column!r}", column=feature.name)
        raise NotSupportedError(
            "density-not-in-pmml", "{reason}; train with likelihood='gaussian' or 'mdl'", reason=why
        )
    points = numbers[: {TABLE: 0, INTERVAL: size - 1, VALUE: size}[kind]]
    table = np.exp(numbers[len(points) :].reshape(-1, k))
    if kind == TABLE:
        return _pairs(scope.use(column), feature.categories, table, known)
    if feature.categories:  # an order: the cell of each rank
        ranks = np.arange(len(feature.categories), dtype=np.float64)
        cells = np.searchsorted(points, ranks, side="right" if kind == INTERVAL else "left")
        listed = cells < len(table) if kind == INTERVAL else np.isin(ranks, points)
        if not listed.all():
            raise NotSupportedError(
                "uninformative-values", "some values of column {column!r} carry no information", column=feature.name
            )
        rows = table[cells]
        # PMML divides a column by its sum, which must remain 1 where several categories share a row of the table.
        if not np.allclose(rows.sum(axis=0), rows.sum(axis=0)[0], rtol=1e-12):
            raise NotSupportedError("shared-interval", "several values of an ordinal column share an interval")
        return _pairs(scope.use(column), feature.categories, rows, known)
    name = _discretised(scope, column, kind, points, len(table))
    return _pairs(name, [f"b{i}" for i in range(len(table))], table, known)


def _pairs(name: str, values: Any, table: np.ndarray, known: list[Any]) -> Element:
    pairs = [
        element("PairCounts", {"value": value}, element("TargetValueCounts", None, *_counts(known, row)))
        for value, row in zip(values, table)
    ]
    return element("BayesInput", {"fieldName": name}, *pairs)


def _discretised(scope: Scope, column: int, kind: int, points: np.ndarray, count: int) -> str:
    """A number as the name of its cell: an interval that starts at its cut point, or a value; else missing."""
    bins = []
    if kind == INTERVAL:
        edges = [None, *points.tolist(), None]
        for i in range(count):
            ends = {"closure": "closedOpen", "leftMargin": edges[i], "rightMargin": edges[i + 1]}
            bins.append(element("DiscretizeBin", {"binValue": f"b{i}"}, element("Interval", ends)))
    else:
        for i, point in enumerate(points.tolist()):
            ends = {"closure": "closedClosed", "leftMargin": point, "rightMargin": point}
            bins.append(element("DiscretizeBin", {"binValue": f"b{i}"}, element("Interval", ends)))
    expression = element("Discretize", {"field": scope.use(column), "dataType": "string"}, *bins)
    name = scope.derive(expression, optype="categorical", dataType="string")
    scope.derived[-1].extend(element("Value", {"value": f"b{i}"}) for i in range(count))
    return name
