"""The whole document: columns, target, the model, what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

import numpy as np

from vaglio._version import __version__
from vaglio.encode import Feature
from vaglio.errors import NotSupportedError
from vaglio.export.export_node import COMMON, EXPONENTIAL_OF_SCORE, LOGIT, SOFTMAX_OF_SCORES, ExportNode
from vaglio.export.pmml import sums
from vaglio.export.pmml.conditions import Labels, one_tree, rules, spreads, tested_fields, tree_of_shares
from vaglio.export.pmml.elements import MOST_ELEMENTS, Names, Scope, data_type, element, field_ref
from vaglio.export.source import Source
from vaglio.messages.message import text

__all__ = ["KINDS", "to_pmml"]

# The kinds of parts that PMML has.
KINDS = (*COMMON, "machine")

_CONTINUOUS = {"optype": "continuous", "dataType": "double"}

Made = Callable[[Scope, ExportNode, Labels, Element | None], Element]


def to_pmml(source: Source, target: str, probabilistic: bool) -> str:
    """Return the document.

    Parameters
    ----------
    source : Source
    target : str
        What the model predicts; another name is found if a column has it.
    probabilistic : bool
        Whether the model has probabilities to give.
    """
    source.refuse_text("pmml")
    if source.calibration is not None:
        raise source.refusal("pmml", text("its probabilities are calibrated"))
    node = source.node("pmml", KINDS)
    names = [feature.name for feature in source.features]
    while target in names:
        target += "_"
    try:
        return _document(source, node, target, probabilistic)
    except NotSupportedError as error:
        raise source.refusal("pmml", str(error)) from None


def _document(source: Source, node: ExportNode, target: str, probabilistic: bool) -> str:
    if node.size > MOST_ELEMENTS:
        raise NotSupportedError(
            "too-many-numbers",
            "it has more than {most_elements:,} numbers; train a smaller one",
            most_elements=MOST_ELEMENTS,
        )
    labels = source.labels
    taken = [*(feature.name for feature in source.features), target, *(f"p({label})" for label in labels), "prediction"]
    scope = Scope(Names(taken), source.features, target)
    everything = Labels(labels, list(range(len(labels))))
    if source.cost is None:
        model = _model(scope, node, everything, _output(scope, labels, probabilistic))
    else:
        model = _by_cost(scope, node, everything, source.cost.matrix)
    made = element("Application", {"name": "vaglio", "version": __version__})
    fields = [_data_field(feature) for feature in source.features]
    predicted = {"optype": "categorical", "dataType": data_type(labels)} if labels else _CONTINUOUS
    values = [element("Value", {"value": label}) for label in labels]
    fields.append(element("DataField", {"name": target, **predicted}, *values))
    document = element(
        "PMML",
        {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"},
        element("Header", {"description": source.headline}, made),
        element("DataDictionary", {"numberOfFields": len(fields)}, *fields),
        model,
    )
    indent(document, " ")
    return tostring(document, encoding="unicode") + "\n"


def _data_field(feature: Feature) -> Element:
    if not feature.categories:
        # A nominal column without categories had no value in training.
        kind = {"optype": "categorical", "dataType": "string"} if feature.is_nominal else _CONTINUOUS
        return element("DataField", {"name": feature.name, **kind})
    optype = "categorical" if feature.is_nominal else "ordinal"
    kind = {"name": feature.name, "optype": optype, "dataType": data_type(feature.categories)}
    return element("DataField", kind, *(element("Value", {"value": value}) for value in feature.categories))


def _output(scope: Scope, labels: list[Any], probabilistic: bool) -> Element:
    """The prediction and one probability per class."""
    taken = {feature.name for feature in scope.features} | {scope.target}

    def free(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    kind = {"optype": "categorical", "dataType": data_type(labels)} if labels else _CONTINUOUS
    given = [element("OutputField", {"name": free("prediction"), **kind, "feature": "predictedValue"})]
    number = {**_CONTINUOUS, "feature": "probability"}
    if probabilistic:
        given += [element("OutputField", {"name": free(f"p({label})"), **number, "value": label}) for label in labels]
    return element("Output", None, *given)


# -- models ----------------------------------------------------------------------------------------------------------
def _model(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    made: dict[str, Made] = {
        "trees": _trees,
        "rules": rules,
        "linear": sums.linear,
        "bayes": sums.bayes,
        "machine": sums.machine,
        "mix": _mix,
        "boosted": _boosted,
        "lines": _lines,
    }
    return made[node.kind](scope, node, labels, output)


def _segments(method: str, models: Sequence[tuple[Element, Element, float | None]]) -> Element:
    """Several models, each with the predicate of its rows and its weight."""
    listed = [
        element("Segment", {"id": i + 1, "weight": weight}, predicate, model)
        for i, (predicate, model, weight) in enumerate(models)
    ]
    return element("Segmentation", {"multipleModelMethod": method}, *listed)


def _always() -> Element:
    return element("True")


def _whole(scope: Scope, inner: list[Scope]) -> None:
    """Make a model list all columns that the models inside it use."""
    for each in inner:
        scope.used.update(each.used)


def _trees(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    count = node.fields["n_trees"]
    if count == 1:
        return _one(scope, node, 0, labels, output)
    inner = [scope.inner(scope.features) for _ in range(count)]
    models = [(_always(), _one(each, node, i, labels, None), None) for i, each in enumerate(inner)]
    _whole(scope, inner)
    return scope.model("MiningModel", labels.labels, {}, [_segments("average", models)], output)


def _one(scope: Scope, node: ExportNode, tree: int, labels: Labels, output: Element | None) -> Element:
    """A tree; if it shares rows out, those that lack nothing are scored by it, and the others by their shares."""
    if not spreads(node):
        return one_tree(scope, node, tree, labels, output)
    inner = [scope.inner(scope.features), scope.inner(scope.features)]
    tree_model = one_tree(inner[0], node, tree, labels, output)
    shared = tree_of_shares(inner[1], node, tree, labels, output)
    complete = tested_fields(inner[0])
    _whole(scope, inner)
    models = [(complete, tree_model, None), (_always(), shared, None)]
    return scope.model("MiningModel", labels.labels, {}, [_segments("selectFirst", models)], output)


def _mix(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """Models that decide together: by the mean of their probabilities, or by vote."""
    fields = node.fields
    hard = set(fields["hard"].tolist())
    if len(hard) > 1:
        raise NotSupportedError(
            "mixed-votes-in-pmml",
            "some of its members have probabilities and others vote, and PMML has only one method for all",
        )
    if len(labels.place) < len(labels.labels):
        raise NotSupportedError("nested-mixture-in-pmml", "a member that is itself a mixture does not know all classes")
    # Relative to their mean: programs differ in what they divide the votes by.
    weights = fields["weight"] / fields["total"] * len(node.members)
    inner, models = [], []
    for i, member in enumerate(node.members):
        columns = fields["map"][fields["map_start"][i] : fields["map_start"][i + 1]]
        known = fields["class_of"][fields["class_start"][i] : fields["class_start"][i + 1]].tolist()
        each = scope.inner(tuple(scope.features[j] for j in columns))
        own = Labels(labels.labels, known if labels.labels else [])
        if len(known) < len(labels.labels) and member.kind not in ("trees", "rules") and hard == {0}:
            raise NotSupportedError("member-lacks-class", "a member does not know all classes")
        inner.append(each)
        models.append((_always(), _model(each, member, own, None), float(weights[i])))
    _whole(scope, inner)
    method = "weightedMajorityVote" if hard == {1} else "weightedAverage"
    return scope.model("MiningModel", labels.labels, {}, [_segments(method, models)], output)


def _boosted(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """A chain: the sum of the trees of each score, and what the scores become."""
    fields = node.fields
    none = Labels([], [])
    models, inner, scores = [], [], []
    for member in node.members:
        each = Scope(scope.names, scope.features, "")
        trees = [each.inner(scope.features) for _ in range(fields["rounds"])]
        summed = [(_always(), one_tree(tree, member, i, none, None), None) for i, tree in enumerate(trees)]
        _whole(each, trees)
        scores.append(scope.names.new())
        summing = each.model("MiningModel", [], {}, [_segments("sum", summed)], _score(scores[-1]))
        models.append((_always(), summing, None))
        inner.append(each)
    last = _link(scope.inner(scope.features), node, labels, scores, output)
    models.append((_always(), last, None))
    _whole(scope, inner)
    return scope.model("MiningModel", labels.labels, {}, [_segments("modelChain", models)], output)


def _lines(scope: Scope, node: ExportNode, labels: Labels, output: Element | None) -> Element:
    """A chain: a tree says the number of the leaf, and its linear model counts; the target keeps it within bounds."""
    fields = node.fields
    low, high = (float(bound) for bound in fields["bounds"])
    bounds = element("Targets", None, element("Target", {"field": scope.target, "min": low, "max": high}))
    if len(fields["intercept"]) == 1:
        made = sums.one_line(scope, fields, 0, output)
    else:
        leaf, tree, some = scope.names.new(), Scope(scope.names, scope.features, ""), scope.inner(scope.features)
        first = one_tree(tree, node.members[0], 0, Labels([], []), _score(leaf))
        inner, models = [some.inner(scope.features) for _ in fields["intercept"]], []
        for k, each in enumerate(inner):
            chosen = element("SimplePredicate", {"field": leaf, "operator": "equal", "value": float(k)})
            models.append((chosen, sums.one_line(each, fields, k, None), None))
        _whole(some, inner)
        second = some.model("MiningModel", [], {}, [_segments("selectFirst", models)], None)
        _use_outputs(second, [leaf])
        _whole(scope, [tree, some])
        chain = _segments("modelChain", [(_always(), model, None) for model in (first, second)])
        made = scope.model("MiningModel", [], {}, [chain], output)
    made.insert(1 if output is None else 2, bounds)
    return made


def _score(name: str) -> Element:
    """The prediction of a model in a chain, for those after it."""
    return element("Output", None, element("OutputField", {"name": name, **_CONTINUOUS, "feature": "predictedValue"}))


def _link(scope: Scope, node: ExportNode, labels: Labels, scores: list[str], output: Element | None) -> Element:
    """What the scores of boosted trees become."""
    fields = node.fields
    known = [labels.labels[place] for place in labels.place]
    categories = known if fields["link"] == SOFTMAX_OF_SCORES else known[1:] or [None]
    tables = [
        element(
            "RegressionTable",
            {"intercept": float(start), "targetCategory": category},
            element("NumericPredictor", {"name": score, "coefficient": 1.0}),
        )
        for start, score, category in zip(fields["baseline"], scores, categories)
    ]
    if fields["link"] == LOGIT:
        tables.append(element("RegressionTable", {"intercept": 0.0, "targetCategory": known[0]}))
    method = {LOGIT: "logit", SOFTMAX_OF_SCORES: "softmax", EXPONENTIAL_OF_SCORE: "exp"}.get(fields["link"], "none")
    made = scope.model("RegressionModel", labels.labels, {"normalizationMethod": method}, tables, output)
    _use_outputs(made, scores)
    return made


def _use_outputs(model: Element, names: list[str]) -> None:
    """Make a model list outputs of the models before it in a chain."""
    schema = model.find("MiningSchema")
    assert schema is not None
    for at, name in enumerate(names):
        schema.insert(at, element("MiningField", {"name": name}))


def _by_cost(scope: Scope, node: ExportNode, labels: Labels, costs: np.ndarray) -> Element:
    """A chain: the probabilities of the model, and the class of least expected cost."""
    inner = scope.inner(scope.features)
    names = [scope.names.new() for _ in labels.labels]
    number = {**_CONTINUOUS, "feature": "probability"}
    given = [element("OutputField", {"name": n, **number, "value": label}) for n, label in zip(names, labels.labels)]
    first = _model(inner, node, labels, element("Output", None, *given))
    # The largest share has the smallest cost; costs are relative to the largest, so that no power is out of reach.
    scale = float(np.abs(costs).max()) or 1.0
    tables = [
        element(
            "RegressionTable",
            {"intercept": 0.0, "targetCategory": label},
            *(
                element("NumericPredictor", {"name": n, "coefficient": float(w)})
                for n, w in zip(names, -column / scale)
            ),
        )
        for label, column in zip(labels.labels, costs.T)
    ]
    last = scope.inner(scope.features)
    decided = _output(scope, labels.labels, True)
    for field, name in zip(decided[1:], names):  # the probabilities are those of the first model
        field.set("feature", "transformedValue")
        del field.attrib["value"]
        field.append(field_ref(name))
    second = last.model("RegressionModel", labels.labels, {"normalizationMethod": "softmax"}, tables, decided)
    _use_outputs(second, names)
    _whole(scope, [inner])
    chain = _segments("modelChain", [(_always(), first, None), (_always(), second, None)])
    return scope.model("MiningModel", labels.labels, {}, [chain], None)
