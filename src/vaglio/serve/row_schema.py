"""The JSON Schema of a row, from what a model knows of its columns."""

from __future__ import annotations

from typing import Any

from vaglio.encode import Feature, Spread
from vaglio.learners.provenance import Shares
from vaglio.serve.served import Served, allowed_types

__all__ = ["DIALECT", "row_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
# Categories that a form lists; a longer list is typed, not chosen from.
_MOST_EXAMPLES = 200


def row_schema(served: Served) -> dict[str, Any]:
    """Return the schema of a row. ``x-vaglio`` says of each column what a form needs: kind, range, categories.

    Parameters
    ----------
    served : Served
    """
    codebook = served.fitted.codebook
    spreads = dict(zip((f.name for f in codebook.features if f.in_numeric_block), codebook.spreads))
    shares = dict(zip((f.name for f in codebook.features), served.monitor.shares))
    strict = codebook.unseen == "error"
    properties = {
        feature.name: _property(feature, spreads.get(feature.name), shares.get(feature.name), strict)
        for feature in codebook.columns
    }
    return {
        "$schema": DIALECT,
        "title": f"A row for the model {served.name}",
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _property(feature: Feature, spread: Spread | None, shares: Shares | None, strict: bool) -> dict[str, Any]:
    types = sorted({_NAMES[each] for each in allowed_types(feature)})
    if feature.is_date:
        return {"type": types, "x-vaglio": {"kind": "date"}}
    if feature.kind == "text":
        return {"type": types, "x-vaglio": {"kind": "text"}}
    if feature.kind == "numeric":
        return {"type": types, **_numbers(spread, shares)}
    known = list(feature.categories)
    about = {"kind": feature.kind, "categories": known[:_MOST_EXAMPLES], "n_categories": len(known)}
    if shares is not None and any(shares.counts):
        about["usual"] = known[shares.counts.index(max(shares.counts))]
    if strict and feature.kind == "nominal":
        return {"enum": [*known, None], "x-vaglio": about}
    return {"type": types, "examples": known[:_MOST_EXAMPLES], "x-vaglio": about}


def _numbers(spread: Spread | None, shares: Shares | None) -> dict[str, Any]:
    about: dict[str, Any] = {"kind": "numeric"}
    if spread is not None and spread.values:
        low, high = (shares.low, shares.high) if shares is not None else (spread.values[0], spread.values[-1])
        about |= {"low": low, "high": high, "usual": spread.median, "decimals": spread.decimals}
        return {"examples": [spread.median], "x-vaglio": about}
    return {"x-vaglio": about}
