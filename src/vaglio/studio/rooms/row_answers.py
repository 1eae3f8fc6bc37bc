"""One row and the answer to it: a form with the values, the class, why, and what would change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.explanation import Explanation
from vaglio.messages.numbers import short_number
from vaglio.messages.sentences import clip
from vaglio.serve.counters import Counters
from vaglio.serve.row_schema import row_schema
from vaglio.serve.served import Served
from vaglio.studio.catalogue import Words
from vaglio.table import Table

__all__ = ["fields_of", "open_model", "row_from_table", "row_from_words", "why"]

# Columns in the form and reasons beside it.
_MOST_FIELDS, _MOST_REASONS = 60, 8
_LONGEST = 10_000


def open_model(path: Path) -> Served:
    """Return a model that answers single rows, as the server of models does."""
    return Served.load(path.stem, path, None, Counters(None), _LONGEST)


def row_from_table(served: Served, table: Table, at: int) -> dict[str, Any]:
    """Return a row of the table in the form that the model takes."""
    row = {}
    for name in served.names:
        value = table.column(name).values[at]
        value = value.item() if hasattr(value, "item") else value
        row[name] = None if value is None or value != value else value
    return row


def row_from_words(served: Served, words: dict[str, str]) -> dict[str, Any]:
    """Return a row from the fields of a form; what is empty is missing."""
    row: dict[str, Any] = {}
    known = {feature.name: feature for feature in served.fitted.codebook.columns}
    for name in served.names:
        word, feature = words.get(name, ""), known[name]
        if word == "":
            row[name] = None
        elif feature.kind == "numeric" and not feature.is_date:
            row[name] = _number(name, word)
        else:
            row[name] = next((value for value in feature.categories if str(value) == word), word)
    return row


def _number(name: str, word: str) -> float:
    try:
        value = float(word.replace(",", "."))
    except ValueError:
        raise InputError(f"{name}: {clip(word, 40)!r} is no number.") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise InputError(f"{name}: a number is finite.")
    return value


def fields_of(served: Served, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of the form: ranges for numbers, choices for categories.

    Parameters
    ----------
    served : Served
    row : dict
        The values that they have.
    """
    found = []
    for number, (name, about) in enumerate(list(row_schema(served)["properties"].items())[:_MOST_FIELDS]):
        facts, value = about["x-vaglio"], row[name]
        kind = "number" if facts["kind"] == "numeric" and "low" in facts else "text"
        choices = [str(each) for each in facts.get("categories", [])]
        kind = "choice" if choices and facts.get("n_categories", 0) == len(choices) else kind
        field = {"name": name, "id": f"field-{number}", "kind": kind, "choices": choices}
        if kind == "number":
            # A value outside the training rows still has a place on the slider.
            low, high = (float(facts[end]) for end in ("low", "high"))
            low, high = (min(low, value), max(high, value)) if value is not None else (low, high)
            # Numbers with any decimals move freely.
            step = "any" if facts["decimals"] is None else _plain(10.0 ** -min(int(facts["decimals"]), 6))
            field |= {"low": _plain(low), "high": _plain(high), "step": step, "middle": _plain(facts["usual"])}
        found.append(field | {"value": "" if value is None else _plain(value)})
    return found


def _plain(value: Any) -> str:
    return short_number(value) if isinstance(value, float) else str(value)


def why(served: Served, row: dict[str, Any], say: Words) -> dict[str, Any]:
    """Return the reasons for the class of a row, those against it, and a smallest change that gives another class."""
    answer = served.of_one(row)
    try:
        explanation = served.fitted.explain(served.table_of([row]))[0]
    except NotSupportedError as error:
        return {"answer": answer, "none": say.sentence(error)}
    return {"answer": answer, "none": "", **_reasons(explanation, say)}


def _reasons(explanation: Explanation, say: Words) -> dict[str, Any]:
    weights = [abs(each.weight) for each in (*explanation.reasons, *explanation.against) if each.weight is not None]
    largest = max(weights, default=0.0) or 1.0

    def plain(reason: Any) -> dict[str, Any]:
        share = None if reason.weight is None else min(1.0, abs(reason.weight) / largest)
        return {"text": clip(say.sentence(reason.text), 160), "share": share}

    change = explanation.counterfactual
    by_cost = [] if explanation.cost_in_words is None else [explanation.cost_in_words]
    return {
        "reasons": [plain(each) for each in explanation.reasons[:_MOST_REASONS]],
        "against": [plain(each) for each in explanation.against[:_MOST_REASONS]],
        "notes": [clip(say.sentence(note), 240) for note in (*by_cost, *explanation.notes[:6])],
        "change": None
        if change is None
        else {
            "decision": clip(change.decision, 40),
            "text": clip(say("and").join(say.sentence(each) for each in change.changes), 300),
            "values": {each.feature: _plain(each.instead) for each in change.changes if not each.is_word},
        },
    }
