"""Elements of a PMML document, and one model of it under construction."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree.ElementTree import Element

from vaglio.encode import Feature, spelling
from vaglio.errors import NotSupportedError

__all__ = ["Names", "Scope", "apply", "combined", "constant", "data_type", "element", "field_ref", "number", "text_of"]

# Elements in all: some hundred megabytes of XML.
MOST_ELEMENTS = 1_000_000

# What no XML 1.0 document can hold.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(tag: str, attributes: dict[str, Any] | None = None, *children: Element) -> Element:
    """Return an element; attributes of the value None are left out."""
    given = {name: text_of(value) for name, value in (attributes or {}).items() if value is not None}
    made = Element(tag, given)
    made.extend(children)
    return made


def text_of(value: object) -> str:
    """Return a value as PMML spells it."""
    if isinstance(value, float):
        return number(value)
    text = spelling(value)
    if found := _UNWRITABLE.search(text):
        raise NotSupportedError(
            "xml-cannot-hold-character",
            "XML cannot hold the character {group!r}, as in {text!r}",
            group=found.group(),
            text=text,
        )
    return text


def number(value: float) -> str:
    """Return a finite number with every digit."""
    if not math.isfinite(value):
        raise NotSupportedError("pmml-has-number", "PMML has no number {value}", value=value)
    return repr(float(value))


def data_type(values: Any) -> str:
    """Return the type of categories or labels."""
    kinds = {type(value) for value in values}
    names: dict[type, str] = {bool: "boolean", int: "integer", float: "double"}
    return names.get(kinds.pop(), "string") if len(kinds) == 1 else "string"


def field_ref(name: str) -> Element:
    return element("FieldRef", {"field": name})


def constant(value: float) -> Element:
    made = element("Constant", {"dataType": "double"})
    made.text = number(value)
    return made


def apply(function: str, *arguments: Element | float) -> Element:
    """Return the value of a function; numbers become constants."""
    given = [constant(each) if isinstance(each, (int, float)) else each for each in arguments]
    return element("Apply", {"function": function}, *given)


class Names:
    """Names of derived fields, which no column has.

    Parameters
    ----------
    taken : list of str
    """

    def __init__(self, taken: list[str]) -> None:
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in taken):
            self.prefix += "_"
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"{self.prefix}{self.count}"


class Scope:
    """One model: the fields it uses and those it derives.

    Parameters
    ----------
    names : Names
    features : tuple of Feature
        The columns it sees.
    target : str
        Empty for a model that gives a score, which is no value of the target.
    """

    def __init__(self, names: Names, features: tuple[Feature, ...], target: str) -> None:
        self.names, self.features, self.target = names, features, target
        self.used: dict[str, Feature] = {}
        self.derived: list[Element] = []
        self._known: dict[Any, str] = {}

    def inner(self, features: tuple[Feature, ...]) -> Scope:
        """Return the scope of a model inside this one, which uses the same columns."""
        return Scope(self.names, features, self.target)

    def use(self, column: int) -> str:
        """Return the name of a column, which the model then lists."""
        feature = self.features[column]
        self.used[feature.name] = feature
        return feature.name

    def derive(self, expression: Element, key: Any = None, **attributes: Any) -> str:
        """Return the name of a field derived by an expression; the same key is derived once."""
        if key is not None and key in self._known:
            return self._known[key]
        name = self.names.new()
        if self.names.count > MOST_ELEMENTS:
            raise NotSupportedError(
                "needs-more-than-derived",
                "it needs more than {most_elements:,} derived fields; learn a smaller one",
                most_elements=MOST_ELEMENTS,
            )
        kind = {"name": name, "optype": "continuous", "dataType": "double", **attributes}
        self.derived.append(element("DerivedField", kind, expression))
        if key is not None:
            self._known[key] = name
        return name

    def number(self, column: int) -> str:
        """Return the name of a column as a number: itself, or the code of its category."""
        feature, name = self.features[column], self.use(column)
        if not feature.categories:
            return name
        terms = [
            apply("*", float(code), field_ref(self.indicator(column, code)))
            for code in range(1, len(feature.categories))
        ] or [apply("*", 0.0, field_ref(self.indicator(column, 0)))]
        return self.derive(combined("+", terms), ("code", column))

    def indicator(self, column: int, code: int) -> str:
        """Return the name of a field that is 1 where a column has a category, and 0 where it has another."""
        feature = self.features[column]
        test = element("NormDiscrete", {"field": self.use(column), "value": feature.categories[code]})
        return self.derive(test, ("indicator", column, code))

    def linear(self, columns: Any, coefficients: Any) -> str:
        """Return the name of a sum of columns, missing where one of them is."""
        terms = [apply("*", float(c), field_ref(self.number(int(j)))) for j, c in zip(columns, coefficients)]
        return self.derive(combined("+", terms), ("sum", tuple(columns), tuple(coefficients)))

    def model(
        self, tag: str, labels: list[Any], attributes: dict[str, Any], body: list[Element], output: Element | None
    ) -> Element:
        """Return the element of the model: what it uses, what it gives, what it derives, what it is."""
        function = "classification" if labels else "regression"
        fields = []
        for feature in self.used.values():
            unseen = "asMissing" if feature.categories else None
            fields.append(element("MiningField", {"name": feature.name, "invalidValueTreatment": unseen}))
        if self.target:
            fields.append(element("MiningField", {"name": self.target, "usageType": "target"}))
        parts = [element("MiningSchema", None, *fields)]
        if output is not None:
            parts.append(output)
        if self.derived:
            parts.append(element("LocalTransformations", None, *self.derived))
        return element(tag, {"functionName": function, **attributes}, *parts, *body)


def combined(operation: str, terms: list[Element]) -> Element:
    """Return a sum or a product, missing where a term is: the functions of many arguments skip what is missing."""
    while len(terms) > 1:
        pairs = [apply(operation, *terms[i : i + 2]) for i in range(0, len(terms) - 1, 2)]
        terms = [*pairs, *terms[2 * len(pairs) :]]
    return terms[0]
