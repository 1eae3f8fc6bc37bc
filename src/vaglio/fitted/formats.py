"""A model in a form that other people, databases and programs can use."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.export.export_node import EVERY, exporter_of
from vaglio.export.source import Source
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.families import KINDS, Lookup

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

__all__ = ["FORMATS", "coefficient_rows", "export", "export_formats", "exporters", "has_coefficients", "sides"]

# Format -> what it is, in words that finish the sentence "the model as …".
FORMATS = {
    "text": text("IF … THEN … rules, the terms of an additive model, or the first trees of boosting, to read"),
    "exact": text("rules with every digit, which RuleSet.parse reads back"),
    "json": text("rules, coefficients or terms as JSON"),
    "sql": text("a SELECT that classifies the rows of a database table"),
    "python": text("a self-contained Python function"),
    "c": text("a self-contained C99 file"),
    "javascript": text("a self-contained ES module"),
    "onnx": text("an ONNX file for onnxruntime and others"),
    "pmml": text("a PMML document"),
    "csv": text("one line per rule, per coefficient or per cell of a term"),
    "tree": text("the tree drawn in text"),
    "svg": text("a drawing of the tree or the network"),
}

# Kinds of nodes that PMML takes whatever they hold; of others it refuses some.
_ALWAYS_PMML = ("trees", "rules", "boosted", "lines")

# Format -> the function that writes it: text, or bytes for a binary file.
Forms = dict[str, Callable[[], Any]]

# Kind of model -> the formats it has beside rules and coefficients, each with the function that writes it.
exporters: Lookup[Callable[[Fitted], Forms]] = Lookup(lambda family: family.formats)

# Kind of model with ``coef``, ``intercept`` and ``encoder`` -> which class each of its outputs favours, given the
# model and the class labels.
sides: Lookup[Callable[[Any, list[Any]], list[dict[str, Any]]]] = Lookup(lambda family: family.coefficients)


def export_formats(fitted: Fitted) -> Forms:
    """The formats this model has, each with the function that writes it.

    Parameters
    ----------
    fitted : Fitted
    """
    found: Forms = {}
    if has_rules(fitted):
        # Of sums that are calibrated before costs decide there is no SQL: to_sql says so.
        by_calibrated = fitted.calibration is not None and fitted.decision_cost is not None
        summed = by_calibrated and not fitted.rules().is_crisp
        found |= {
            "text": lambda: str(fitted.rules()),
            # Rules that give a number are written for reading only: the language of rules has classes.
            **({} if fitted.classes is None else {"exact": lambda: fitted.rules().to_text()}),
            "json": lambda: fitted.rules().to_json(indent=2),
            **({} if summed else {"sql": fitted.to_sql}),
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
    return Source(
        fitted.codebook, fitted.model, fitted.classes, fitted.decision_cost, fitted.learner, fitted.calibration
    )


def _programs(fitted: Fitted) -> Forms:
    """The forms that compute with tables of numbers, if the model can be written as such."""
    from vaglio.export.pmml.model import KINDS as PMML_KINDS
    from vaglio.export.sql.scores import SUMS

    source, exporter = source_of(fitted), exporter_of(fitted.model)
    if exporter is None:
        return {}
    forms: Forms = {}
    kind = exporter.node_kind(fitted.model)
    programs = source.unsupported_reason() is None
    if not source.has_text:
        if source.unsupported_reason(EVERY) is None:
            forms["onnx"] = fitted.to_onnx
        if source.calibration is None and source.unsupported_reason(PMML_KINDS) is None:
            # A density, or probabilities, that PMML does not know: to_pmml says which.
            forms |= {"pmml": fitted.to_pmml} if kind in _ALWAYS_PMML else _written("pmml", fitted.to_pmml)
        if programs:
            forms["c"] = fitted.to_c
            # A density, or a date, that standard SQL cannot compute with: to_sql says which.
            forms |= _written("sql", fitted.to_sql) if kind in SUMS else {}
    return {**forms, "javascript": fitted.to_javascript} if programs else forms


def _written(format: str, write: Callable[[], str]) -> Forms:
    """The format, if it can be written."""
    try:
        written = write()
    except NotSupportedError:
        return {}
    return {format: lambda: written}


def has_rules(fitted: Fitted) -> bool:
    """Whether the model can be read as rules: an ensemble only if its members are trees."""
    return callable(getattr(fitted.model, "rules", None)) and getattr(fitted.model, "no_rules", None) is None


def export(fitted: Fitted, format: str) -> Any:
    """Write the model in one of :data:`FORMATS`, or say which of them it has."""
    if format not in FORMATS:
        raise InputError(
            "unknown-export-format",
            "There is no format {format!r}: {hint}",
            format=format,
            hint=did_you_mean(format, FORMATS),
        )
    found = export_formats(fitted)
    if format in found:
        return found[format]()
    computed: Forms = {
        "sql": fitted.to_sql,
        "c": fitted.to_c,
        "javascript": fitted.to_javascript,
        "onnx": fitted.to_onnx,
        "pmml": fitted.to_pmml,
    }
    if format in computed and exporter_of(fitted.model) is not None:
        return computed[format]()  # says why not
    if found:
        raise NotSupportedError(
            "format-not-supported",
            "A model of {learner!r} cannot be exported as {format}. It can be exported as {formats}.",
            learner=fitted.learner,
            format=format,
            formats=listed(found, last="or"),
        )
    kind = KINDS.get(fitted.model.kind)
    why = getattr(fitted.model, "no_rules", None) or (kind.without.get("export") if kind is not None else None)
    raise NotSupportedError(
        "export-not-supported",
        "A model of {learner!r} cannot be exported as {format}: {reason}. Keep the model file.",
        learner=fitted.learner,
        format=format,
        reason=why or text("it does not consist of rules or weights"),
    )


def has_coefficients(fitted: Fitted) -> bool:
    """Whether the model is linear in the columns of the table."""
    # A support vector machine has coefficients only with a linear kernel, and no map before it.
    weighs = getattr(fitted.model, "coef", None) is not None and getattr(fitted.model, "phi", None) is None
    return weighs and sides.find(fitted.model.kind) is not None


def coefficient_rows(fitted: Fitted) -> list[dict[str, Any]]:
    """One row per class and encoded column: ``class`` (a positive value favours it), ``name``, ``coefficient``.

    A support vector machine also says ``against`` what; a model that predicts numbers has no class to name. The
    intercept comes first.
    """
    sides_of = sides.find(fitted.model.kind)
    if sides_of is None or not has_coefficients(fitted):
        raise NotSupportedError(
            "learner-without",
            "The learner {learner!r} does not give {quantity}.",
            learner=fitted.learner,
            quantity=text("coefficients"),
        )
    classes = [] if fitted.classes is None else fitted.classes.tolist()
    model: Any = fitted.model
    coef, intercept = model.encoder.to_original_units(model.coef, model.intercept)
    names = ["(intercept)", *model.encoder.names]
    return [
        {**side, "name": name, "coefficient": float(value)}
        for side, bias, weights in zip(sides_of(model, classes), intercept, coef, strict=True)
        for name, value in zip(names, [bias, *weights], strict=True)
    ]


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows of equal keys as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def sql_statement(fitted: Fitted, table: str, probabilities: bool, dialect: str) -> str:
    """Return the model as a SELECT: of sums over columns or trees, else of its rules."""
    from vaglio.export.sql.scores import scores_sql
    from vaglio.export.sql.trees import written_as_trees

    source, exporter, node = source_of(fitted), exporter_of(fitted.model), None
    if has_rules(fitted):
        if exporter is not None and exporter.build_sums is not None and source.unsupported_reason() is None:
            node = source.node("sql", sums=True)
        if node is None or not written_as_trees(node):
            found: str = fitted.rules().to_sql(table, probabilities, dialect)
            return found
    source.refuse_text("sql")
    return scores_sql(source, node or source.node("sql", sums=True), table, probabilities, dialect)
