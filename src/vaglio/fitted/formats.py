"""A model in a form that other people, databases and programs can use."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.export.model_source import Source
from vaglio.export.part import EVERY
from vaglio.fitted._coefficients import coefficient_rows, has_coefficients
from vaglio.messages.sentences import did_you_mean
from vaglio.model.families import KINDS, NO_LIST, Lookup

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

__all__ = ["FORMATS", "export", "export_formats", "exporters"]

# Format -> what it is, in words that finish the sentence "the model as …".
FORMATS = {
    "text": "IF … THEN … rules, the terms of an additive model, or the first trees of boosting, for reading",
    "exact": "rules with every digit, which RuleSet.parse reads back",
    "json": "rules, coefficients or terms as JSON",
    "sql": "a SELECT that classifies the rows of a database table",
    "python": "a Python function that needs nothing but itself",
    "c": "a C99 file that needs nothing but itself",
    "javascript": "an ES module that needs nothing but itself",
    "onnx": "an ONNX file for onnxruntime and others",
    "pmml": "a PMML document for the programs that read this standard",
    "csv": "one line per rule, per coefficient or per cell of a term",
    "tree": "the tree drawn in text",
    "svg": "the tree or the network as a drawing",
}

# Kinds of models that SQL adds up over the columns; trees and rules are written as conditions.
_SUMS = ("linear", "svm", "naive-bayes")

# Kinds of models that PMML takes whatever they hold; of others it refuses some.
_ALWAYS_PMML = ("tree", "forest", "boosted", "additive", "rules", "linear")

# Format -> the function that writes it: text, or bytes for a binary file.
Forms = dict[str, Callable[[], Any]]

# Kind of model -> the formats it has beside rules and coefficients, each with the function that writes it.
exporters: Lookup[Callable[[Fitted], Forms]] = Lookup(lambda family: family.formats)


def export_formats(fitted: Fitted) -> Forms:
    """The formats this model has, each with the function that writes it.

    Parameters
    ----------
    fitted : Fitted
    """
    found: Forms = {}
    if has_rules(fitted):
        found |= {
            "text": lambda: str(fitted.rules()),
            # Rules that give a number are written for reading only: the language of rules has classes.
            **({} if fitted.classes is None else {"exact": lambda: fitted.rules().to_text()}),
            "json": lambda: fitted.rules().to_json(indent=2),
            "sql": lambda: sql_statement(fitted),
            "python": lambda: fitted.rules().to_python(),
            "csv": lambda: fitted.rules().to_frame().to_csv(index=False, lineterminator="\n"),
        }
    elif has_coefficients(fitted):
        found |= {
            "json": lambda: json.dumps(coefficient_rows(fitted), indent=2, ensure_ascii=False, default=str),
            "csv": lambda: as_csv(coefficient_rows(fitted)),
        }
    more = exporters.find(fitted.model.kind)
    return found | _programs(fitted) | ({} if more is None else more(fitted))


def source_of(fitted: Fitted) -> Source:
    """What the writers of other languages start from."""
    return Source(fitted.codebook, fitted.model, fitted.classes, fitted.deciding_cost, fitted.learner)


def _programs(fitted: Fitted) -> Forms:
    """The forms that compute with tables of numbers, if the model can be written as such."""
    from vaglio.export.pmml.model import KINDS as PMML_KINDS
    from vaglio.export.programs import to_c, to_javascript

    source = source_of(fitted)
    forms: Forms = {}
    text = any(feature.kind == "text" or feature.word is not None for feature in fitted.codebook.features)
    if not text and source.obstacle(EVERY) is None:
        forms["onnx"] = lambda: onnx_file(fitted)
    if not text and source.obstacle(PMML_KINDS) is None:
        if fitted.model.kind in _ALWAYS_PMML:
            forms["pmml"] = lambda: pmml_document(fitted)
        else:
            try:
                document = pmml_document(fitted)
                forms["pmml"] = lambda: document
            except NotSupportedError:  # a density, or probabilities, that PMML does not know: to_pmml says which
                pass
    if source.obstacle() is not None:
        return forms
    if not text:
        forms["c"] = lambda: to_c(source)
    if not text and fitted.model.kind in _SUMS:
        try:
            statement = sql_statement(fitted)
            forms["sql"] = lambda: statement
        except NotSupportedError:  # a density, or a date, that standard SQL cannot compute with: to_sql says which
            pass
    return {**forms, "javascript": lambda: to_javascript(source)}


def onnx_file(fitted: Fitted) -> bytes:
    """The model as an ONNX file."""
    from vaglio.export.onnx.model import to_onnx

    return to_onnx(source_of(fitted), fitted.has_probabilities)


def pmml_document(fitted: Fitted) -> str:
    """The model as a PMML document."""
    from vaglio.export.pmml.model import to_pmml

    target = str(fitted.provenance.get("target") or "class")
    return to_pmml(source_of(fitted), target, fitted.has_probabilities)


def has_rules(fitted: Fitted) -> bool:
    """Whether the model can be read as rules: an ensemble only if its members are trees."""
    return callable(getattr(fitted.model, "rules", None)) and getattr(fitted.model, "no_rules", None) is None


def export(fitted: Fitted, format: str) -> Any:
    """Write the model in one of :data:`FORMATS`, or say which of them it has."""
    if format not in FORMATS:
        raise InputError(f"There is no format {format!r}: {did_you_mean(format, FORMATS)}")
    from vaglio.export.pmml.model import KINDS as PMML_KINDS

    found = export_formats(fitted)
    if format not in found:
        if format == "sql" and fitted.model.kind in _SUMS:
            fitted.to_sql()  # says why not
        if format == "pmml" and source_of(fitted).obstacle(PMML_KINDS) is None:
            fitted.to_pmml()  # says why not
        instead = f"it can be written as {', '.join(found)}" if found else f"{_reason(fitted)}; keep the model file"
        raise NotSupportedError(f"A model of {fitted.learner!r} cannot be written as {format}: {instead}.")
    return found[format]()


def _reason(fitted: Fitted) -> str:
    why = getattr(fitted.model, "no_rules", None)
    if why is not None:
        return str(why)
    kind = KINDS.get(fitted.model.kind)
    # A kind with formats may have a model without any: a support vector machine whose kernel is not linear.
    return NO_LIST if kind is None else kind.without.get("export", NO_LIST)


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows of equal keys as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def sql_statement(fitted: Fitted, table: str = "data", probabilities: bool = False, dialect: str = "standard") -> str:
    """The model as a SELECT: of sums over columns or trees, else of its rules."""
    from vaglio.export.sql_sums import sums_sql
    from vaglio.export.sql_trees import written_as_trees

    source = source_of(fitted)
    as_trees = getattr(fitted.model, "as_flat_trees", None)
    if as_trees is not None:
        return sums_sql(replace(source, model=as_trees()), table, probabilities, dialect)
    many = fitted.model.kind in ("forest", "ensemble") and source.obstacle() is None
    if has_rules(fitted) and not (many and written_as_trees(source.part("sql"))):
        found: str = fitted.rules().to_sql(table, probabilities, dialect)
        return found
    return sums_sql(source, table, probabilities, dialect)
