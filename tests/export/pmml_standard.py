"""An interpreter of PMML documents, written from the definitions of the standard; it knows what our documents use.

None is a missing value, and the truth value of a predicate that is unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, fromstring

Row = dict[str, Any]
# Value predicted, and the probability of each class.
Result = tuple[Any, dict[Any, float]]

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"

# What an element contains, in this order, as a regular expression over the names of its children.
_MODEL = "MiningSchema (Output )?(Targets )?(LocalTransformations )?"
_PREDICATE = "(SimplePredicate|CompoundPredicate|SimpleSetPredicate|True|False) "
_EXPRESSION = "(Constant|FieldRef|NormDiscrete|Discretize|Apply) "
_MODELS = "(TreeModel|RegressionModel|NaiveBayesModel|SupportVectorMachineModel|MiningModel) "
CONTENT = {
    "PMML": f"Header DataDictionary {_MODELS}",
    "Header": "Application ",
    "DataDictionary": "(DataField )+",
    "DataField": "(Value )*",
    "MiningSchema": "(MiningField )+",
    "Output": "(OutputField )+",
    "OutputField": f"({_EXPRESSION})?",
    "Targets": "(Target )+",
    "LocalTransformations": "(DerivedField )+",
    "DerivedField": f"{_EXPRESSION}(Value )*",
    "Apply": f"({_EXPRESSION})+",
    "Discretize": "(DiscretizeBin )+",
    "DiscretizeBin": "Interval ",
    "TreeModel": f"{_MODEL}Node ",
    "Node": f"{_PREDICATE}((ScoreDistribution )*|(Node )+)",
    "CompoundPredicate": f"({_PREDICATE}){{2,}}",
    "SimpleSetPredicate": "Array ",
    "RegressionModel": f"{_MODEL}(RegressionTable )+",
    "RegressionTable": "(NumericPredictor )*(CategoricalPredictor )*",
    "NaiveBayesModel": f"{_MODEL}BayesInputs BayesOutput ",
    "BayesInputs": "(BayesInput )+",
    "BayesInput": "(TargetValueStats |(PairCounts )+)",
    "TargetValueStats": "(TargetValueStat )+",
    "TargetValueStat": "GaussianDistribution ",
    "PairCounts": "TargetValueCounts ",
    "TargetValueCounts": "(TargetValueCount )+",
    "BayesOutput": "TargetValueCounts ",
    "SupportVectorMachineModel": f"{_MODEL}(Linear|Polynomial|RadialBasis|Sigmoid)KernelType VectorDictionary "
    "(SupportVectorMachine )+",
    "VectorDictionary": "VectorFields (VectorInstance )*",
    "VectorFields": "(FieldRef )*",
    "VectorInstance": "Array ",
    "SupportVectorMachine": "(SupportVectors )?Coefficients ",
    "SupportVectors": "(SupportVector )*",
    "Coefficients": "(Coefficient )*",
    "MiningModel": f"{_MODEL}Segmentation ",
    "Segmentation": "(Segment )+",
    "Segment": f"{_PREDICATE}{_MODELS}",
}


class Document:
    """A document whose elements are where the standard wants them."""

    def __init__(self, text: str) -> None:
        root = fromstring(text)
        for each in root.iter():
            assert each.tag.startswith(NAMESPACE), each.tag
            each.tag = each.tag.removeprefix(NAMESPACE)
            children = "".join(f"{child.tag.removeprefix(NAMESPACE)} " for child in each)
            assert re.fullmatch(CONTENT.get(each.tag, ""), children), (each.tag, children[:200])
        assert root.get("version") == "4.4"
        dictionary = root.find("DataDictionary")
        assert int(dictionary.get("numberOfFields")) == len(dictionary)
        self.kinds = {field.get("name"): field.get("dataType") for field in dictionary}
        assert len(self.kinds) == len(dictionary), "a field is defined twice"
        self.valid = {
            field.get("name"): [self.typed(field.get("name"), value.get("value")) for value in field]
            for field in dictionary
        }
        self.model = root[-1]
        self.target = next(f.get("name") for f in self.model.find("MiningSchema") if f.get("usageType") == "target")

    def typed(self, field: str, text: str) -> Any:
        kind = self.kinds.get(field, "double")
        if kind == "boolean":
            return {"true": True, "false": False}[text]
        return text if kind == "string" else int(text) if kind == "integer" else float(text)

    def predict(self, row: Row) -> Row:
        """The fields of the output."""
        return self.run(self.model, dict(row))[1]

    # -- models ------------------------------------------------------------------------------------------------------
    def run(self, model: Element, outer: Row) -> tuple[Result, Row]:
        """What a model finds, and the fields of its output."""
        row = self._prepared(model, outer)
        for field in model.iterfind("LocalTransformations/DerivedField"):
            assert field.get("name") not in row
            row[field.get("name")] = self.value(field[0], row)
        given: Row = {}
        found = getattr(self, f"_{model.tag}")(model, row, given)
        for target in model.iterfind("Targets/Target"):
            found = min(max(found[0], float(target.get("min"))), float(target.get("max"))), {}
        return found, {**given, **self._outputs(model, row, found)}

    def _prepared(self, model: Element, outer: Row) -> Row:
        row: Row = {}
        for field in model.find("MiningSchema"):
            name = field.get("name")
            if field.get("usageType") == "target":
                continue
            value = outer[name]
            valid = self.valid.get(name)
            if value is not None and valid and value not in valid:
                assert field.get("invalidValueTreatment") == "asMissing"
                value = None
            row[name] = value
        return row

    def _outputs(self, model: Element, row: Row, found: Result) -> Row:
        given: Row = {}
        for field in model.iterfind("Output/OutputField"):
            feature, name = field.get("feature"), field.get("name")
            if feature == "transformedValue":
                given[name] = self.value(field[0], row)
            elif feature == "probability":
                given[name] = found[1].get(self.typed(self.target, field.get("value")))
            else:
                assert feature == "predictedValue"
                given[name] = found[0]
        return given

    def _label(self, text: str) -> Any:
        return self.typed(self.target, text)

    def _decided(self, chances: dict[Any, float]) -> Result:
        """The first class of the largest probability, in the order of the dictionary."""
        return max(self.valid[self.target], key=lambda label: chances.get(label, -math.inf)), chances

    def _TreeModel(self, model: Element, row: Row, given: Row) -> Result:
        node, strategy = model.find("Node"), model.get("missingValueStrategy", "none")
        assert self.holds(node[0], row) is True
        while children := node.findall("Node"):
            chosen = None
            for child in children:
                met = self.holds(child[0], row)
                if met is None and strategy == "defaultChild":
                    chosen = next(each for each in children if each.get("id") == node.get("defaultChild"))
                if met or chosen is not None:
                    chosen = child if chosen is None else chosen
                    break
            assert chosen is not None, "no child takes the row"
            node = chosen
        if model.get("functionName") == "regression":
            return float(node.get("score")), {}
        counts = {self._label(e.get("value")): float(e.get("recordCount")) for e in node.iterfind("ScoreDistribution")}
        return self._label(node.get("score")), {label: n / sum(counts.values()) for label, n in counts.items()}

    def _RegressionModel(self, model: Element, row: Row, given: Row) -> Result:
        tables = model.findall("RegressionTable")
        values = [self._table(table, row) for table in tables]
        method = model.get("normalizationMethod", "none")
        if model.get("functionName") == "regression":
            return (math.exp(values[0]) if method == "exp" else values[0]), {}
        labels = [self._label(table.get("targetCategory")) for table in tables]
        if method == "logit":
            assert len(values) == 2
            assert len(tables[1]) == 0
            chance = 1 / (1 + math.exp(-values[0])) if values[0] > -700 else 0.0
            return self._decided({labels[0]: chance, labels[1]: 1 - chance})
        if method == "softmax":
            values = [math.exp(value - max(values)) for value in values]
        else:
            assert method == "simplemax"
        return self._decided({label: value / sum(values) for label, value in zip(labels, values)})

    def _table(self, table: Element, row: Row) -> float:
        total = float(table.get("intercept"))
        for term in table:
            value, coefficient = row[term.get("name")], float(term.get("coefficient"))
            if term.tag == "CategoricalPredictor":
                total += coefficient * (value == self.typed(term.get("name"), term.get("value")))
            else:
                assert value is not None
                total += coefficient * value
        return total

    def _NaiveBayesModel(self, model: Element, row: Row, given: Row) -> Result:
        least = float(model.get("threshold"))
        counts = self._counts(model.find("BayesOutput/TargetValueCounts"))
        logs = {label: math.log(count) for label, count in counts.items()}
        for one in model.iterfind("BayesInputs/BayesInput"):
            value = row[one.get("fieldName")]
            if value is None:
                continue
            for label, chance in self._likelihood(one, value).items():
                logs[label] += math.log(max(least, chance))
        powers = {label: math.exp(log - max(logs.values())) for label, log in logs.items()}
        return self._decided({label: power / sum(powers.values()) for label, power in powers.items()})

    def _counts(self, counts: Element) -> dict[Any, float]:
        return {self._label(each.get("value")): float(each.get("count")) for each in counts}

    def _likelihood(self, one: Element, value: Any) -> dict[Any, float]:
        if one[0].tag == "TargetValueStats":
            found = {}
            for each in one[0]:
                mean, variance = (float(each[0].get(name)) for name in ("mean", "variance"))
                power = math.exp(-((value - mean) ** 2) / (2 * variance))
                found[self._label(each.get("value"))] = power / math.sqrt(2 * math.pi * variance)
            return found
        tables = {self.typed(one.get("fieldName"), p.get("value")) if one.get("fieldName") in self.kinds
                  else p.get("value"): self._counts(p[0]) for p in one}  # fmt: skip
        totals = {label: sum(table[label] for table in tables.values()) for label in tables[value]}
        return {label: count / totals[label] for label, count in tables[value].items()}

    def _SupportVectorMachineModel(self, model: Element, row: Row, given: Row) -> Result:
        x = [row[each.get("field")] for each in model.find("VectorDictionary/VectorFields")]
        vectors = {v.get("id"): _numbers(v[0]) for v in model.iterfind("VectorDictionary/VectorInstance")}
        kernel = _kernel(next(each for each in model if each.tag.endswith("KernelType")))
        values = []
        for machine in model.iterfind("SupportVectorMachine"):
            coefs = [float(each.get("value")) for each in machine.find("Coefficients")]
            if model.get("svmRepresentation") == "SupportVectors":
                products = [kernel(x, vectors[v.get("vectorId")]) for v in machine.iterfind("SupportVectors/*")]
            else:
                products = x
            total = sum(a * b for a, b in zip(coefs, products, strict=True))
            values.append(total + float(machine.find("Coefficients").get("absoluteValue")))
        if model.get("functionName") == "regression":
            return values[0], {}
        assert model.get("maxWins") == "true"
        machines = model.findall("SupportVectorMachine")
        first = [self._label(machine.get("targetCategory")) for machine in machines]
        if model.get("classificationMethod") == "OneAgainstAll":
            return first[values.index(max(values))], {}
        votes = dict.fromkeys(self.valid[self.target], 0)
        for machine, label, value in zip(machines, first, values):
            won = value > float(model.get("threshold"))
            votes[label if won else self._label(machine.get("alternateTargetCategory"))] += 1
        return max(votes, key=lambda label: votes[label]), {}

    def _MiningModel(self, model: Element, row: Row, given: Row) -> Result:
        segmentation = model.find("Segmentation")
        method = segmentation.get("multipleModelMethod")
        results, weights = [], []
        for segment in segmentation:
            if not self.holds(segment[0], row):
                continue
            result, outputs = self.run(segment[1], row)
            results.append(result)
            weights.append(float(segment.get("weight", 1)))
            if method == "selectFirst":
                return result
            if method == "modelChain":
                row.update(outputs)
                given.update(outputs)
        if method == "modelChain":
            return results[-1]
        return self._combined(method, results, weights, model.get("functionName") == "regression")

    def _combined(self, method: str, results: list[Result], weights: list[float], numbers: bool) -> Result:
        if numbers:
            total = sum(weight * value for weight, (value, _) in zip(weights, results))
            return total / (1 if method == "sum" else sum(weights)), {}
        chances = dict.fromkeys(self.valid[self.target], 0.0)
        for weight, (value, said) in zip(weights, results):
            votes = {value: 1.0} if method == "weightedMajorityVote" else said
            for label, share in votes.items():
                chances[label] += weight * share / sum(weights)
        return self._decided(chances)

    # -- predicates --------------------------------------------------------------------------------------------------
    def holds(self, predicate: Element, row: Row) -> bool | None:
        if predicate.tag in ("True", "False"):
            return predicate.tag == "True"
        if predicate.tag == "CompoundPredicate":
            found = [self.holds(each, row) for each in predicate]
            decisive = predicate.get("booleanOperator") == "or"
            return decisive if decisive in found else None if None in found else not decisive
        name = predicate.get("field")
        value = row[name]
        operator = predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        if predicate.tag == "SimpleSetPredicate":
            return value in [self.typed(name, text) for text in re.findall(r'"([^"]*)"|(\S+)', predicate[0].text)
                             for text in [text[0] or text[1]]]  # fmt: skip
        return _COMPARISONS[operator](value, self.typed(name, predicate.get("value")))

    # -- expressions -------------------------------------------------------------------------------------------------
    def value(self, expression: Element, row: Row) -> Any:
        if expression.tag == "FieldRef":
            return row[expression.get("field")]
        if expression.tag == "Constant":
            return float(expression.text)
        if expression.tag == "NormDiscrete":
            name = expression.get("field")
            wanted = self.typed(name, expression.get("value"))
            return None if row[name] is None else float(row[name] == wanted)
        if expression.tag == "Discretize":
            return _bin(expression, row[expression.get("field")])
        function, arguments = expression.get("function"), list(expression)
        if function == "if":
            met = self.value(arguments[0], row)
            return None if met is None else self.value(arguments[1 if met else 2], row)
        values = [self.value(each, row) for each in arguments]
        if function == "isMissing":
            return values[0] is None
        if function in ("and", "or"):
            return (function == "or") if (function == "or") in values else None if None in values else function == "and"
        return None if None in values else _FUNCTIONS[function](*values)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": lambda a, b: a == b,
    "lessThan": lambda a, b: a < b,
    "lessOrEqual": lambda a, b: a <= b,
    "greaterThan": lambda a, b: a > b,
    "greaterOrEqual": lambda a, b: a >= b,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_COMPARISONS,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "max": max,
}


def _numbers(array: Element) -> list[float]:
    found = [float(word) for word in array.text.split()]
    assert len(found) == int(array.get("n"))
    return found


def _kernel(element: Element) -> Callable[[list[float], list[float]], float]:
    gamma, coef0, degree = (float(element.get(name, 1)) for name in ("gamma", "coef0", "degree"))

    def product(x: list[float], z: list[float]) -> float:
        return sum(a * b for a, b in zip(x, z, strict=True))

    return {
        "LinearKernelType": product,
        "PolynomialKernelType": lambda x, z: (gamma * product(x, z) + coef0) ** degree,
        "RadialBasisKernelType": lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))),
        "SigmoidKernelType": lambda x, z: math.tanh(gamma * product(x, z) + coef0),
    }[element.tag]


def _bin(expression: Element, value: Any) -> str | None:
    if value is None:
        return None
    for each in expression:
        interval = each[0]
        low, high = float(interval.get("leftMargin", "-inf")), float(interval.get("rightMargin", "inf"))
        closure = interval.get("closure")
        above = value >= low if closure.startswith("closed") else value > low
        if above and (value <= high if closure.endswith("Closed") else value < high):
            return each.get("binValue")
    return None
