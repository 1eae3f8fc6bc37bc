"""The description of a service for programs (OpenAPI 3.1): every address, the rows of every model, every status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vaglio._version import __version__
from vaglio.encode import Feature, Spread
from vaglio.learners.provenance import Shares
from vaglio.messages.message import text
from vaglio.serve.http.responses import PROBLEM
from vaglio.serve.protocols import DATATYPES
from vaglio.serve.served import Served, allowed_types
from vaglio.serve.wire import ARROW, CSV, JSON

__all__ = ["DIALECT", "describe_service", "row_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
# Categories that a form lists; a longer list is typed, not chosen from.
_MOST_EXAMPLES = 200
_STATUS = {
    400: text("The body is not valid."),
    401: text("The token is missing or invalid."),
    404: text("There is no such model."),
    408: text("The body did not arrive in time."),
    413: text("The request is too large."),
    415: text("The Content-Type is not supported."),
    421: text("The Host header names another server."),
    422: text("The rows do not match the model."),
    429: text("Too many requests are waiting."),
    500: text("The server failed."),
    503: text("The request took too long, or the server is stopping."),
}
_READING = (401, 404, 421, 429, 500)
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_NUMBERS = {"type": "object", "additionalProperties": {"type": "number"}}
_ANSWER = {
    "type": "object",
    "required": ["predicted"],
    "properties": {
        "predicted": {
            **_SCALAR,
            "description": text("The predicted class, or number. A model with costs decides by them."),
        },
        "interval": {
            "type": "object",
            "required": ["low", "high", "coverage"],
            "properties": {name: {"type": "number"} for name in ("low", "high", "coverage")},
            "description": text(
                "Of a model of numbers that keeps errors of its evaluation: the ends of an interval, and the share of "
                "rows whose number lies in such intervals."
            ),
        },
        "probabilities": {**_NUMBERS, "description": text("The probability of each class.")},
        "likeliest": {**_SCALAR, "description": text("For a model with costs: the most probable class.")},
        "expected_costs": {**_NUMBERS, "description": text("For a model with costs: the expected cost of each class.")},
        "matched_columns": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": text("Columns that were sent under another spelling: what was sent, and the column."),
        },
    },
}
_SENTENCE = {
    "type": "object",
    "required": ["code", "text", "values"],
    "properties": {
        "code": {"type": "string", "description": text("The kind of sentence, the same in every language.")},
        "text": {"type": "string", "description": text("The sentence in the language asked for.")},
        "values": {"type": "object", "description": text("The values in the sentence.")},
    },
}
_EXPLANATION = {
    "type": "object",
    "required": ["decision", "reasons", "against", "notes", "counterfactual"],
    "properties": {
        "decision": _SCALAR,
        "probability": {"type": ["number", "null"]},
        "reasons": {"type": "array", "items": _SENTENCE},
        "against": {"type": "array", "items": _SENTENCE},
        "notes": {"type": "array", "items": _SENTENCE},
        "counterfactual": {
            "type": ["object", "null"],
            "description": text("A smallest change that gives another class."),
        },
    },
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "values"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": text("What is wrong and what to do, in the language asked for.")},
        "code": {"type": "string", "description": text("The kind of problem, the same in every language.")},
        "values": {"type": "object", "description": text("The names and numbers in the detail.")},
    },
}
_TENSOR = {
    "type": "object",
    "required": ["name", "shape", "datatype", "data"],
    "properties": {
        "name": {"type": "string"},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        "datatype": {"type": "string", "enum": list(DATATYPES)},
        "data": {"type": "array"},
    },
}
_MODELS, _SERVER = text("Models"), text("Server")
# Names of their own, the same in every language.
_OPEN_INFERENCE, _MLFLOW = "Open Inference Protocol", "MLflow"
_TAGS = {
    _MODELS: text("Predictions, explanations and the schema of a row."),
    _OPEN_INFERENCE: text("One named, typed tensor per column, as in KServe and Triton."),
    _MLFLOW: text("The requests of MLflow's scoring server."),
    _SERVER: text("Health, metrics and this description."),
}


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
        "title": text("A row for the model {name}", name=served.name),
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


def describe_service(models: Iterable[Served], tokens: bool) -> dict[str, Any]:
    """Return the description.

    Parameters
    ----------
    models : iterable of Served
    tokens : bool
        Whether requests need a token.
    """
    models = tuple(models)
    paths = {**_server_paths(), **({} if len(models) > 1 else _invocations("", models[0]))}
    schemas: dict[str, Any] = {"Answer": _ANSWER, "Explanation": _EXPLANATION, "Problem": _PROBLEM, "Tensor": _TENSOR}
    for served in models:
        schemas[f"Row.{served.name}"] = {name: part for name, part in row_schema(served).items() if name != "$schema"}
        paths |= _model_paths(served)
    components: dict[str, Any] = {"schemas": schemas}
    about: dict[str, Any] = {}
    if tokens:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        about["security"] = [{"token": []}]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "vaglio serve",
            "version": __version__,
            "description": text(
                "Models that predict classes or numbers from rows of a table. Every problem is a JSON object "
                "(RFC 9457) that says what is wrong and what to do."
            ),
        },
        "jsonSchemaDialect": DIALECT,
        "tags": [{"name": name, "description": about_tag} for name, about_tag in _TAGS.items()],
        "paths": paths,
        "components": components,
        **about,
    }


def _model_paths(served: Served) -> dict[str, Any]:
    root = f"/models/{served.name}"
    row = {"$ref": f"#/components/schemas/Row.{served.name}"}
    example = _example(served)
    some = {"anyOf": [row, {"type": "array", "items": row}]}
    answer, explanation = (
        {"anyOf": [_ref(name), {"type": "array", "items": _ref(name)}]} for name in ("Answer", "Explanation")
    )
    table = {"schema": {"type": "string", "minLength": 1}}
    predicted = {JSON: {"schema": answer}, CSV: table, ARROW: table}
    bodies = {JSON: {"schema": some, "example": example}, CSV: table, ARROW: table}
    wanted = {"name": "counterfactual", "in": "query", "schema": {"type": "boolean", "default": True}}
    wanted["description"] = text("Whether to look for what would change the prediction.")
    names = {"type": "array", "items": {"type": "string", "enum": list(served.names)}}
    allowed: dict[str, Any] = {"name": "changeable", "in": "query", "schema": names}
    allowed["description"] = text("Columns that advice may change although nobody can by their names.")
    tensors: dict[str, Any] = {"type": "object", "required": ["inputs"]}
    tensors["properties"] = {"inputs": {"type": "array", "items": _ref("Tensor")}}
    columns = [
        {"name": name, "shape": [1], "datatype": "BYTES" if str in types else "FP64", "data": [example[name]]}
        for name, types in served.columns
    ]
    infer = {JSON: {"schema": tensors, "example": {"inputs": columns}}}
    reasons = _operation(_MODELS, text("Explain by {name}", name=served.name), explanation, body={JSON: bodies[JSON]})
    seen = _operation(_MODELS, text("What {name} has seen", name=served.name), {"type": "object"})
    schema = _operation(
        _MODELS, text("A row of {name}", name=served.name), {"type": "object"}, media="application/schema+json"
    )
    v2, named = _OPEN_INFERENCE, {"name": served.name}
    return {
        f"{root}/predict": {
            "post": _operation(_MODELS, text("Predict by {name}", **named), body=bodies, answers=predicted)
        },
        f"{root}/explain": {"post": {**reasons, "parameters": [wanted, allowed]}},
        f"{root}/schema": {"get": schema},
        f"{root}/seen": {"get": seen},
        root: {"get": _operation(_MODELS, text("About {name}", **named), {"type": "object"})},
        f"/v2{root}": {"get": _operation(v2, text("Tensors of {name}", **named), {"type": "object"})},
        f"/v2{root}/ready": {"get": _operation(v2, text("Whether {name} is ready", **named), {"type": "object"})},
        f"/v2{root}/infer": {"post": _operation(v2, text("Infer by {name}", **named), {"type": "object"}, body=infer)},
        **_invocations(root, served),
    }


def _invocations(root: str, served: Served) -> dict[str, Any]:
    row = {"$ref": f"#/components/schemas/Row.{served.name}"}
    records: dict[str, Any] = {"type": "object", "required": ["dataframe_records"]}
    records["properties"] = {"dataframe_records": {"type": "array", "items": row}}
    body = {JSON: {"schema": records, "example": {"dataframe_records": [_example(served)]}}}
    listed = {"type": "object", "required": ["predictions"], "properties": {"predictions": {"type": "array"}}}
    summary = (
        text("Invoke {name}", name=served.name) if root else text("Invoke {name}, the only model", name=served.name)
    )
    told = _operation(_MLFLOW, summary, listed, body=body)
    told["description"] = text("dataframe_split, instances, inputs and CSV are accepted, too.")
    return {f"{root}/invocations": {"post": told}}


def _server_paths() -> dict[str, Any]:
    said = {
        "/models": (_MODELS, text("List the models")),
        "/health/live": (_SERVER, text("Whether the server is running")),
        "/health/ready": (_SERVER, text("Whether the server accepts requests")),
        "/openapi.json": (_SERVER, text("This description")),
        "/v2": (_OPEN_INFERENCE, text("About the server")),
        "/v2/health/live": (_OPEN_INFERENCE, text("Whether the server is alive")),
        "/v2/health/ready": (_OPEN_INFERENCE, text("Whether the server is ready")),
    }
    paths = {path: {"get": _operation(tag, summary, {"type": "object"})} for path, (tag, summary) in said.items()}
    plain = {"schema": {"type": "string"}}
    metrics = _operation(_SERVER, text("Metrics for Prometheus"), answers={"text/plain": plain})
    return {**paths, "/metrics": {"get": metrics}}


def _operation(
    tag: str,
    summary: str,
    schema: dict[str, Any] | None = None,
    *,
    body: dict[str, Any] | None = None,
    answers: dict[str, Any] | None = None,
    media: str = JSON,
) -> dict[str, Any]:
    """Return one operation with every status it may answer."""
    # Only what answers whether the server or a model is ready, or takes rows, may be refused for being busy.
    statuses = (
        _STATUS
        if body is not None or "ready" in summary or "accepts" in summary
        else {code: _STATUS[code] for code in _READING}
    )
    problem = {PROBLEM: {"schema": _ref("Problem")}}
    told = {str(code): {"description": about, "content": problem} for code, about in statuses.items()}
    content = answers if answers is not None else {media: {"schema": schema}}
    if "503" in told and body is None:
        told["503"]["content"] = {JSON: {"schema": {"type": "object"}}}
    operation: dict[str, Any] = {
        "tags": [tag],
        "summary": summary,
        "operationId": summary.lower().replace(" ", "-").replace(",", ""),
        "responses": {"200": {"description": text("The answer."), "content": content}, **told},
    }
    return operation if body is None else {**operation, "requestBody": {"required": True, "content": body}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _example(served: Served) -> dict[str, Any]:
    properties = row_schema(served)["properties"]
    return {name: about["x-vaglio"].get("usual") for name, about in properties.items()}
