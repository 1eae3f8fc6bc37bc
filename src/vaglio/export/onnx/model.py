"""The whole graph: inputs by column, the encoding, the model, the decision, outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import NotSupportedError
from vaglio.export.export_node import EVERY, ExportNode
from vaglio.export.onnx import conditions, sums
from vaglio.export.onnx.graph import Graph
from vaglio.export.source import Source, spelled
from vaglio.messages.message import text
from vaglio.model.calibration import Calibration

__all__ = ["to_onnx"]

LABEL, PROBABILITIES, PREDICTION = "label", "probabilities", "prediction"

_SUMS: dict[str, Callable[[Graph, ExportNode, str], tuple[str, str]]] = {
    "linear": sums.linear,
    "bayes": sums.bayes,
    "network": sums.network,
    "machine": sums.machine,
    "neighbors": sums.neighbors,
    "gaussian": sums.gaussian,
}


def to_onnx(source: Source, probabilistic: bool) -> bytes:
    """Return the model file.

    Parameters
    ----------
    source : Source
    probabilistic : bool
        Whether the model has probabilities to give.
    """
    source.refuse_text("onnx")
    node = source.node("onnx", EVERY)
    names = [feature.name for feature in source.features]
    graph = Graph([*names, LABEL, PROBABILITIES, PREDICTION])
    outputs = [each for each in (LABEL, PROBABILITIES, PREDICTION) if each in names]
    if outputs:
        raise source.refusal(
            "onnx", text("its column {column!r} has the name of an output; rename it", column=outputs[0])
        )
    if "" in names:
        raise source.refusal("onnx", text("its column {number} has no name; name it", number=names.index("") + 1))
    helper, types = graph.onnx.helper, graph.onnx.TensorProto
    inputs = [
        helper.make_tensor_value_info(f.name, types.STRING if f.is_nominal or f.categories else types.DOUBLE, [None, 1])
        for f in source.features
    ]
    x = graph("Concat", *(_column(graph, feature) for feature in source.features), axis=1)
    try:
        out, codes = _answer(graph, node, x)
    except NotSupportedError as error:
        raise source.refusal("onnx", str(error)) from None
    if not source.labels:
        graph.nodes.append(helper.make_node("Identity", [out], [PREDICTION]))
        return graph.model(
            inputs, [helper.make_tensor_value_info(PREDICTION, types.DOUBLE, [None, 1])], source.headline
        )
    if source.calibration is not None:
        out = _calibrated(graph, out, source.calibration, len(source.labels))
    if source.cost is not None:
        codes = graph("ArgMin", graph("MatMul", out, source.cost.matrix), axis=1, keepdims=0)
    whole = all(type(label) is int for label in source.labels)
    labels = np.array(source.labels, dtype=np.int64) if whole else np.array(list(map(str, source.labels)), dtype=object)
    graph.nodes.append(helper.make_node("Gather", [graph.constant(labels), codes], [LABEL], axis=0))
    results = [helper.make_tensor_value_info(LABEL, types.INT64 if whole else types.STRING, [None])]
    if probabilistic:
        graph.nodes.append(helper.make_node("Identity", [out], [PROBABILITIES]))
        results.append(helper.make_tensor_value_info(PROBABILITIES, types.DOUBLE, [None, len(source.labels)]))
    return graph.model(inputs, results, source.headline)


def _calibrated(graph: Graph, out: str, calibration: Calibration, n_classes: int) -> str:
    mixed = graph("Add", graph("Mul", out, 1 - calibration.floor), calibration.floor / n_classes)
    raised = graph("Pow", mixed, 1 / calibration.temperature)
    total = graph("ReduceSum", raised, np.array([1]), keepdims=1)
    return str(graph("Div", raised, total))


def _column(graph: Graph, feature: Feature) -> str:
    """A column as numbers (n, 1): a category that nobody knows, as the empty text, is missing."""
    if not feature.categories and not feature.is_nominal:
        return feature.name
    words, fold = spelled(feature)
    codes = {word: code for code, word in enumerate(words)}
    # ONNX has no lower case in this version: the usual spellings of yes, no, true and false are listed.
    if fold or {"true", "false"} & set(words):
        codes = {each: code for word, code in codes.items() for each in (word, word.capitalize(), word.upper())} | codes
    found = graph(
        "LabelEncoder",
        feature.name,
        domain="ai.onnx.ml",
        keys_strings=list(codes),
        values_int64s=list(codes.values()),
        default_int64=-1,
    )
    number = graph("Cast", found, to=graph.onnx.TensorProto.DOUBLE)
    return str(graph("Where", graph("Less", number, 0.0), np.nan, number))


def _answer(graph: Graph, node: ExportNode, x: str) -> tuple[str, str]:
    """Outputs (n, classes) of a node, and the codes it decides for."""
    if node.kind == "mix":
        return _mix(graph, node, x)
    if node.kind == "boosted":
        return sums.boosted(graph, node, [conditions.trees(graph, member, x) for member in node.members])
    if node.kind == "lines":
        return sums.lines(graph, node, x, conditions.trees(graph, node.members[0], x))
    if node.kind in _SUMS:
        return _SUMS[node.kind](graph, node, x)
    out = conditions.trees(graph, node, x) if node.kind == "trees" else conditions.rules(graph, node, x)
    return out, graph.first_largest(out)


def _mix(graph: Graph, node: ExportNode, x: str) -> tuple[str, str]:
    fields = node.fields
    total = ""
    for i, member in enumerate(node.members):
        seen = graph.columns(x, fields["map"][fields["map_start"][i] : fields["map_start"][i + 1]])
        out, codes = _answer(graph, member, seen)
        if fields["hard"][i]:
            out = graph.one_hot(codes, member.outputs)
        classes = fields["class_of"][fields["class_start"][i] : fields["class_start"][i + 1]]
        if not np.array_equal(classes, np.arange(node.outputs)):
            place = np.zeros((len(classes), node.outputs))
            place[np.arange(len(classes)), classes] = 1.0
            out = graph("MatMul", out, place)
        out = graph("Mul", out, float(fields["weight"][i]))
        total = graph("Add", total, out) if total else out
    out = graph("Div", total, float(fields["total"]))
    return out, graph.first_largest(out)
