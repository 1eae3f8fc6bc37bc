"""The description of a service for programs (OpenAPI 3.1): every address, the rows of every model, every status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vaglio._version import __version__
from vaglio.serve.http.problems import PROBLEM
from vaglio.serve.open_inference import DATATYPES
from vaglio.serve.row_schema import DIALECT, row_schema
from vaglio.serve.served import Served
from vaglio.serve.wire import ARROW, CSV, JSON

__all__ = ["describe_service"]

_STATUS = {
    400: "The body cannot be read.",
    401: "The token is missing or unknown.",
    404: "There is no such model.",
    408: "The body did not arrive in time.",
    413: "The request is too long.",
    415: "The body is of a kind that is not read.",
    421: "The server does not go by that name.",
    422: "The rows do not fit the model.",
    429: "Too many requests are waiting.",
    500: "The server failed.",
    503: "The answer takes too long, or the server stops.",
}
_READING = (401, 404, 421, 429, 500)
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_NUMBERS = {"type": "object", "additionalProperties": {"type": "number"}}
_ANSWER = {
    "type": "object",
    "required": ["predicted"],
    "properties": {
        "predicted": {**_SCALAR, "description": "The class, by costs if the model has any; or the number."},
        "probabilities": {**_NUMBERS, "description": "Of each class."},
        "likeliest": {**_SCALAR, "description": "Of a model with costs: the most probable class."},
        "expected_costs": {**_NUMBERS, "description": "Of a model with costs: what predicting each class would cost."},
    },
}
_EXPLANATION = {
    "type": "object",
    "required": ["decision", "reasons", "against", "notes", "counterfactual"],
    "properties": {
        "decision": _SCALAR,
        "probability": {"type": ["number", "null"]},
        "reasons": {"type": "array", "items": {"type": "object"}},
        "against": {"type": "array", "items": {"type": "object"}},
        "notes": {"type": "array", "items": {"type": "string"}},
        "counterfactual": {"type": ["object", "null"], "description": "A smallest change that gives another class."},
    },
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence: what is wrong, and what to do."},
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
_TAGS = {
    "Models": "Predictions, reasons, and what a row is.",
    "Open Inference Protocol": "One named, typed tensor per column, as KServe, Triton and others speak.",
    "MLflow": "What clients of MLflow's scoring server send.",
    "The server": "Health, counts, and this description.",
}


def describe_service(shelf: Iterable[Served], tokens: bool) -> dict[str, Any]:
    """Return the description.

    Parameters
    ----------
    shelf : iterable of Served
    tokens : bool
        Whether requests need a token.
    """
    models = list(shelf)
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
            "description": "Models that sort the rows of tables into classes. Every refusal is one JSON object with "
            "one sentence that says what is wrong and what to do.",
        },
        "jsonSchemaDialect": DIALECT,
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
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
    wanted["description"] = "Whether to look for what would change the decision."
    tensors: dict[str, Any] = {"type": "object", "required": ["inputs"]}
    tensors["properties"] = {"inputs": {"type": "array", "items": _ref("Tensor")}}
    columns = [
        {"name": name, "shape": [1], "datatype": "BYTES" if str in types else "FP64", "data": [example[name]]}
        for name, types in served.columns
    ]
    infer = {JSON: {"schema": tensors, "example": {"inputs": columns}}}
    reasons = _operation("Models", f"Reasons by {served.name}", explanation, body={JSON: bodies[JSON]})
    seen = _operation("Models", f"What {served.name} has seen", {"type": "object"})
    schema = _operation("Models", f"A row of {served.name}", {"type": "object"}, media="application/schema+json")
    v2 = "Open Inference Protocol"
    return {
        f"{root}/predict": {"post": _operation("Models", f"Predict by {served.name}", body=bodies, answers=predicted)},
        f"{root}/explain": {"post": {**reasons, "parameters": [wanted]}},
        f"{root}/schema": {"get": schema},
        f"{root}/seen": {"get": seen},
        root: {"get": _operation("Models", f"About {served.name}", {"type": "object"})},
        f"/v2{root}": {"get": _operation(v2, f"Tensors of {served.name}", {"type": "object"})},
        f"/v2{root}/ready": {"get": _operation(v2, f"Whether {served.name} is ready", {"type": "object"})},
        f"/v2{root}/infer": {"post": _operation(v2, f"Infer by {served.name}", {"type": "object"}, body=infer)},
        **_invocations(root, served),
    }


def _invocations(root: str, served: Served) -> dict[str, Any]:
    row = {"$ref": f"#/components/schemas/Row.{served.name}"}
    records: dict[str, Any] = {"type": "object", "required": ["dataframe_records"]}
    records["properties"] = {"dataframe_records": {"type": "array", "items": row}}
    body = {JSON: {"schema": records, "example": {"dataframe_records": [_example(served)]}}}
    listed = {"type": "object", "required": ["predictions"], "properties": {"predictions": {"type": "array"}}}
    told = _operation("MLflow", f"Invoke {served.name}{'' if root else ', the only model'}", listed, body=body)
    told["description"] = "dataframe_split, instances and inputs are taken, too, and CSV."
    return {f"{root}/invocations": {"post": told}}


def _server_paths() -> dict[str, Any]:
    said = {
        "/models": ("Models", "List the models"),
        "/health/live": ("The server", "Whether the server lives"),
        "/health/ready": ("The server", "Whether the server takes requests"),
        "/openapi.json": ("The server", "This description"),
        "/v2": ("Open Inference Protocol", "About the server"),
        "/v2/health/live": ("Open Inference Protocol", "Whether the server is alive"),
        "/v2/health/ready": ("Open Inference Protocol", "Whether the server is ready"),
    }
    paths = {path: {"get": _operation(tag, text, {"type": "object"})} for path, (tag, text) in said.items()}
    text = {"schema": {"type": "string"}}
    metrics = _operation("The server", "Counts for Prometheus", answers={"text/plain": text})
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
    statuses = _STATUS if body is not None or "ready" in summary else {code: _STATUS[code] for code in _READING}
    problem = {PROBLEM: {"schema": _ref("Problem")}}
    told = {str(code): {"description": text, "content": problem} for code, text in statuses.items()}
    content = answers if answers is not None else {media: {"schema": schema}}
    if "503" in told and body is None:
        told["503"]["content"] = {JSON: {"schema": {"type": "object"}}}
    operation: dict[str, Any] = {
        "tags": [tag],
        "summary": summary,
        "operationId": summary.lower().replace(" ", "-").replace(",", ""),
        "responses": {"200": {"description": "The answer.", "content": content}, **told},
    }
    return operation if body is None else {**operation, "requestBody": {"required": True, "content": body}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _example(served: Served) -> dict[str, Any]:
    properties = row_schema(served)["properties"]
    return {name: about["x-vaglio"].get("usual") for name, about in properties.items()}
