"""Conventions that other programs speak: MLflow's scoring server, and the Open Inference Protocol, version 2.

MLflow's clients send rows as split frames, records, inputs or CSV to ``/invocations``. The Open Inference Protocol has
one named, typed tensor per column, and tensors as answers.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio._version import __version__
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip, listed
from vaglio.serve.http.requests import dump_json, media_type, read_body
from vaglio.serve.http.responses import refuse
from vaglio.serve.served import Served
from vaglio.serve.wire import CSV, JSON, check_rows, unknown_media

if TYPE_CHECKING:
    from vaglio.serve.service import Service

__all__ = ["DATATYPES", "Invocations", "OpenInference"]

_FORMS = ("dataframe_split", "dataframe_records", "instances", "inputs")
_METHODS = ("predict", "predict_proba")
_WHOLE = {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
_REAL = {"FP16", "FP32", "FP64"}
# Datatype -> types of its values in JSON; null is a missing value in all of them.
DATATYPES: dict[str, tuple[type, ...]] = {
    "BOOL": (bool,),
    "BYTES": (str,),
    **dict.fromkeys(_WHOLE, (int,)),
    **dict.fromkeys(_REAL, (int, float)),
}
_NO_INPUTS = Message(
    "no-inputs", "An inference request must be an object with a list of inputs, one tensor per column."
)
# A tensor of all columns at once, of a model of numbers.
_MATRIX = 2


class Invocations:
    """The addresses of MLflow's scoring server; with several models, below the address of each.

    Parameters
    ----------
    service : Service
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    def routes(self) -> list[Route]:
        """Return them."""
        return [
            Route("/invocations", self.invoke, methods=["POST"]),
            Route("/models/{name}/invocations", self.invoke, methods=["POST"]),
            Route("/ping", self.ping),
            Route("/version", self.version),
        ]

    async def ping(self, request: Request) -> Response:
        """Say that the server lives."""
        return Response(b"\n", media_type="application/json")

    async def version(self, request: Request) -> Response:
        """Say which vaglio this is."""
        return Response(__version__, media_type="text/plain")

    async def invoke(self, request: Request) -> Response:
        """Answer rows with the list of their predictions."""
        served = self.service.served(request, "invocations")
        media = media_type(request)
        if media not in (JSON, CSV):
            unknown_media(media, JSON, CSV)
        body = await read_body(request, self.service.bounds)
        if media == CSV:
            return await self.service.answer_table(request, served, body, CSV, lambda answers: _predictions(answers))
        data = await self.service.parse(body)
        if not isinstance(data, dict):
            refuse(
                400,
                Message(
                    "invocation-not-object",
                    "The body must be an object with one of {forms}.",
                    forms=listed(_FORMS, last="or"),
                ),
            )
        rows = _rows(served, data)
        params = {} if data.get("params") is None else data["params"]
        if not isinstance(params, dict) or set(params) - {"predict_method"}:
            refuse(400, Message("unknown-params", "params can only have predict_method."))
        method = params.get("predict_method", "predict")
        if method not in _METHODS:
            refuse(
                400,
                Message(
                    "unknown-predict-method",
                    "predict_method must be {methods}, not {found}.",
                    methods=listed(_METHODS, last="or"),
                    found=clip(repr(method), 40),
                ),
            )
        if method == "predict_proba" and not served.fitted.has_probabilities:
            refuse(
                422,
                Message(
                    "no-probabilities",
                    "Models of the learner {learner!r} give no probabilities.",
                    learner=served.fitted.learner,
                ),
            )
        return await self.service.answer_rows(request, served, rows, lambda answers: _predictions(answers, method))


def _predictions(answers: list[dict[str, Any]], method: str = "predict") -> dict[str, list[Any]]:
    if method == "predict":
        return {"predictions": [answer["predicted"] for answer in answers]}
    return {"predictions": [list(answer["probabilities"].values()) for answer in answers]}


def _rows(served: Served, data: dict[str, Any]) -> list[Any]:
    """Return the rows of a body, each as an object by column name."""
    found = [form for form in _FORMS if form in data]
    if len(found) != 1:
        refuse(
            400,
            Message(
                "invocation-form",
                "The body must have exactly one of {forms}. This one has: {found}.",
                forms=listed(_FORMS, last="or"),
                found=listed(found),
            ),
        )
    given = data[found[0]]
    if found[0] == "dataframe_split":
        if not isinstance(given, dict) or not isinstance(given.get("data"), list):
            refuse(400, Message("split-not-object", "dataframe_split must be an object with columns and data."))
        columns = given.get("columns")
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            refuse(400, Message("split-without-columns", "dataframe_split needs columns, the list of column names."))
        if len(set(columns)) != len(columns):
            refuse(400, Message("split-repeated-column", "dataframe_split has the same column twice."))
        return [_named(row, columns) for row in given["data"]]
    if found[0] == "inputs" and isinstance(given, dict):
        # Rows from a list of values per column; one value alone is one row.
        lists = {name: values if isinstance(values, list) else [values] for name, values in given.items()}
        lengths = {len(values) for values in lists.values()}
        if len(lengths) != 1:
            refuse(400, Message("inputs-unequal", "All columns of inputs must have the same number of values."))
        return [dict(zip(lists, values)) for values in zip(*lists.values())]
    if not isinstance(given, list):
        refuse(400, Message("rows-not-list", "{form} must be a list of rows.", form=found[0]))
    return [row if isinstance(row, dict) else _named(row, served.names) for row in given]


def _named(row: object, names: list[str]) -> dict[str, Any]:
    if not isinstance(row, list) or len(row) != len(names):
        refuse(
            422,
            Message(
                "row-not-list",
                "A row must be a list of {n:,} {n:value|values}, in the order {columns}.",
                n=len(names),
                columns=listed(names, quoted=True),
            ),
        )
    return dict(zip(names, row))


class OpenInference:
    """The addresses below /v2.

    Parameters
    ----------
    service : Service
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    def routes(self) -> list[Route]:
        """Return them."""
        versions = ("/v2/models/{name}", "/v2/models/{name}/versions/{version}")
        return [
            Route("/v2/health/live", self.live),
            Route("/v2/health/ready", self.ready),
            Route("/v2", self.server),
            *(Route(path, self.model) for path in versions),
            *(Route(f"{path}/ready", self.model_ready) for path in versions),
            *(Route(f"{path}/infer", self.infer, methods=["POST"]) for path in versions),
        ]

    async def live(self, request: Request) -> Response:
        """Say that the server lives."""
        return _json({"live": True})

    async def ready(self, request: Request) -> Response:
        """Say whether the server takes requests."""
        ready = not self.service.stopping
        return _json({"ready": ready}, 200 if ready else 503)

    async def server(self, request: Request) -> Response:
        """Describe the server."""
        return _json({"name": "vaglio", "version": __version__, "extensions": []})

    async def model(self, request: Request) -> Response:
        """Describe the tensors of a model."""
        served = self._served(request, "v2 model")
        inputs = [
            {"name": name, "datatype": "BYTES" if str in types else "FP64", "shape": [-1]}
            for name, types in served.columns
        ]
        outputs = [{"name": "predicted", "datatype": _datatype(served), "shape": [-1]}]
        if served.interval is not None:
            outputs.append({"name": "interval", "datatype": "FP64", "shape": [-1, 2]})
        if served.fitted.has_probabilities:
            outputs.append({"name": "probabilities", "datatype": "FP64", "shape": [-1, len(served.keys or [])]})
        if served.priced:
            outputs.append({"name": "expected_costs", "datatype": "FP64", "shape": [-1, len(served.keys or [])]})
            outputs.append({"name": "likeliest", "datatype": _datatype(served), "shape": [-1]})
        parameters = {} if served.labels is None else {"parameters": {"classes": served.labels}}
        about = {"name": served.name, "versions": [served.digest], "platform": "vaglio"}
        return _json({**about, "inputs": inputs, "outputs": outputs, **parameters})

    async def model_ready(self, request: Request) -> Response:
        """Say that a model takes requests."""
        return _json({"name": self._served(request, "v2 model").name, "ready": True})

    async def infer(self, request: Request) -> Response:
        """Answer the rows of some tensors."""
        served = self._served(request, "v2 infer")
        if media_type(request) != JSON:
            unknown_media(media_type(request), JSON)
        data = await self.service.parse(await read_body(request, self.service.bounds))
        if not isinstance(data, dict):
            refuse(400, _NO_INPUTS)
        rows = self._rows(served, data.get("inputs"))
        wanted = _wanted(data.get("outputs"))
        said = data.get("id")
        if said is not None and not isinstance(said, str):
            refuse(400, Message("id-not-string", "The id of a request must be a string."))

        def write(answers: list[dict[str, Any]]) -> dict[str, Any]:
            about = {"model_name": served.name, "model_version": served.digest}
            outputs = _outputs(served, answers)
            for name in wanted or ():
                if name not in outputs:
                    refuse(
                        400,
                        Message(
                            "unknown-output",
                            "There is no output {name!r}. The outputs are {names}.",
                            name=clip(name),
                            names=listed(outputs),
                        ),
                    )
            chosen = [{"name": name, **outputs[name]} for name in (wanted or outputs)]
            return {**about, **({} if said is None else {"id": said}), "outputs": chosen}

        return await self.service.answer_rows(request, served, rows, write)

    def _served(self, request: Request, route: str) -> Served:
        served = self.service.served(request, route)
        version = request.path_params.get("version", served.digest)
        if version != served.digest:
            refuse(
                404,
                Message(
                    "unknown-model-version",
                    "The model {name!r} has the version {version}, not {asked!r}.",
                    name=served.name,
                    version=served.digest,
                    asked=clip(version),
                ),
            )
        return served

    def _rows(self, served: Served, inputs: Any) -> list[dict[str, Any]]:
        if not isinstance(inputs, list) or not inputs or not all(isinstance(each, dict) for each in inputs):
            refuse(400, _NO_INPUTS)
        names = [each.get("name") for each in inputs]
        if len(inputs) == 1 and names[0] not in served.names and len(_shape(inputs[0])) == _MATRIX:
            return self._rows_of_matrix(served, inputs[0])
        columns: dict[str, list[Any]] = {}
        for tensor in inputs:
            name = tensor.get("name")
            if not isinstance(name, str) or name in columns:
                refuse(400, Message("input-name", "Every input needs a name of its own."))
            shape = _shape(tensor)
            if prod(shape[1:]) != 1:
                refuse(
                    400,
                    Message(
                        "input-shape",
                        "Input {name!r} has the shape {shape}. The tensor of a column has one value per row.",
                        name=clip(name),
                        shape=str(shape),
                    ),
                )
            columns[name] = self._values(tensor, shape)
        if len({len(values) for values in columns.values()}) > 1:
            refuse(400, Message("inputs-unequal", "All columns of inputs must have the same number of values."))
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def _rows_of_matrix(self, served: Served, tensor: dict[str, Any]) -> list[dict[str, Any]]:
        shape = _shape(tensor)
        width = len(served.names)
        if shape[1] != width:
            refuse(
                422,
                Message(
                    "tensor-width",
                    "The tensor has {n:,} columns, but the model has {width:,}: {columns}.",
                    n=shape[1],
                    width=width,
                    columns=listed(served.names),
                ),
            )
        values = self._values(tensor, shape)
        return [dict(zip(served.names, values[at : at + width])) for at in range(0, len(values), width)]

    def _values(self, tensor: dict[str, Any], shape: list[int]) -> list[Any]:
        """Return the values of a tensor, one row after the other."""
        name, datatype = clip(tensor.get("name")), tensor.get("datatype")
        if not isinstance(datatype, str) or datatype not in DATATYPES:
            refuse(
                400,
                Message(
                    "unknown-datatype",
                    "Input {name!r} needs a datatype of the protocol, such as FP64, INT64, BOOL or BYTES.",
                    name=name,
                ),
            )
        check_rows(shape[0], self.service.bounds)
        # A tensor may be written row by row.
        data = tensor.get("data")
        if not isinstance(data, list):
            refuse(400, Message("input-data-not-list", "The data of an input must be a list."))
        values: list[Any] = data
        while values and isinstance(values[0], list):
            if not all(isinstance(part, list) for part in values):
                refuse(400, Message("input-data-mixed", "The data of an input must not mix lists and values."))
            values = [value for part in values for value in part]
        if len(values) != prod(shape):
            refuse(
                400,
                Message(
                    "input-size",
                    "Input {name!r} has {n:,} {n:value|values}, but its shape {shape} needs {expected:,}.",
                    name=name,
                    n=len(values),
                    shape=str(shape),
                    expected=prod(shape),
                ),
            )
        types = DATATYPES[datatype]
        for value in values:
            if value is not None and type(value) not in types:
                refuse(
                    400,
                    Message(
                        "input-value",
                        "Input {name!r} has the datatype {datatype}, but the value {found}.",
                        name=name,
                        datatype=datatype,
                        found=clip(repr(value), 40),
                    ),
                )
        return values


def _shape(tensor: dict[str, Any]) -> list[int]:
    shape = tensor.get("shape")
    sound = isinstance(shape, list) and 0 < len(shape) <= 8
    if not isinstance(shape, list) or not sound or not all(type(n) is int and 0 <= n < 1 << 31 for n in shape):
        refuse(
            400,
            Message(
                "input-without-shape",
                "Input {name!r} needs a shape: a list of integers.",
                name=clip(tensor.get("name")),
            ),
        )
    return shape


def _wanted(outputs: Any) -> list[str] | None:
    if outputs is None or outputs == []:
        return None
    if not isinstance(outputs, list) or not all(
        isinstance(o, dict) and isinstance(o.get("name"), str) for o in outputs
    ):
        refuse(400, Message("outputs-form", "outputs must be a list of objects with a name."))
    return [each["name"] for each in outputs]


def _datatype(served: Served) -> str:
    """Return the type of what the model predicts."""
    kinds = {float} if served.labels is None else {type(label) for label in served.labels}
    known = {bool: "BOOL", int: "INT64", float: "FP64"}
    return known.get(next(iter(kinds)), "BYTES") if len(kinds) == 1 else "BYTES"


def _outputs(served: Served, answers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    n, datatype = len(answers), _datatype(served)
    found: dict[str, dict[str, Any]] = {}
    for name in ("predicted", "likeliest"):
        if answers and name in answers[0]:
            labels = [str(answer[name]) if datatype == "BYTES" else answer[name] for answer in answers]
            found[name] = {"datatype": datatype, "shape": [n], "data": labels}
    if answers and "interval" in answers[0]:
        ends = [answer["interval"][name] for answer in answers for name in ("low", "high")]
        found["interval"] = {"datatype": "FP64", "shape": [n, 2], "data": ends}
    for name in ("probabilities", "expected_costs"):
        if answers and name in answers[0]:
            flat = [value for answer in answers for value in answer[name].values()]
            found[name] = {"datatype": "FP64", "shape": [n, len(served.keys or [])], "data": flat}
    return found or {"predicted": {"datatype": datatype, "shape": [0], "data": []}}


def _json(data: object, status: int = 200) -> Response:
    return Response(dump_json(data), status, media_type=JSON)
