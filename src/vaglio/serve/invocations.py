"""What MLflow's clients send to a model: POST /invocations, with rows as split frames, records, inputs or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio._version import __version__
from vaglio.messages.sentences import clip, listed
from vaglio.serve.http.bodies import media_type, read_body
from vaglio.serve.http.problems import refuse
from vaglio.serve.served import Served
from vaglio.serve.wire import CSV, JSON

if TYPE_CHECKING:
    from vaglio.serve.service import Service

__all__ = ["Invocations"]

_FORMS = ("dataframe_split", "dataframe_records", "instances", "inputs")
_METHODS = ("predict", "predict_proba")


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
            refuse(415, f"Rows come as {JSON} or {CSV}: set the Content-Type.")
        body = await read_body(request, self.service.bounds)
        if media == CSV:
            return await self.service.answer_table(request, served, body, CSV, lambda answers: _predictions(answers))
        data = await self.service.parse(body)
        if not isinstance(data, dict):
            refuse(400, f"The body is an object with one of {listed(_FORMS, last='or')}.")
        rows = _rows(served, data)
        method = _method(served, data.get("params"))
        return await self.service.answer_rows(request, served, rows, lambda answers: _predictions(answers, method))


def _predictions(answers: list[dict[str, Any]], method: str = "predict") -> dict[str, list[Any]]:
    if method == "predict":
        return {"predictions": [answer["predicted"] for answer in answers]}
    return {"predictions": [list(answer["probabilities"].values()) for answer in answers]}


def _method(served: Served, params: Any) -> str:
    given = {} if params is None else params
    if not isinstance(given, dict) or set(given) - {"predict_method"}:
        refuse(400, "params may have predict_method, and nothing else.")
    method = given.get("predict_method", "predict")
    if method not in _METHODS:
        refuse(400, f"predict_method is {listed(_METHODS, last='or')}, not {clip(repr(method), 40)}.")
    if method == "predict_proba" and not served.fitted.has_probabilities:
        refuse(422, f"The learner {served.fitted.learner!r} gives no probabilities.")
    return str(method)


def _rows(served: Served, data: dict[str, Any]) -> list[Any]:
    """Return the rows of a body, each as an object by column name."""
    found = [form for form in _FORMS if form in data]
    if len(found) != 1:
        refuse(400, f"The body has exactly one of {listed(_FORMS, last='or')}; this one has {listed(found)}.")
    given = data[found[0]]
    if found[0] == "dataframe_split":
        return _split(given)
    if found[0] == "inputs" and isinstance(given, dict):
        return _columns(given)
    if not isinstance(given, list):
        refuse(400, f"{found[0]} is a list of rows.")
    return [row if isinstance(row, dict) else _named(row, served.names) for row in given]


def _split(given: Any) -> list[dict[str, Any]]:
    if not isinstance(given, dict) or not isinstance(given.get("data"), list):
        refuse(400, "dataframe_split is an object with columns and data.")
    columns = given.get("columns")
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        refuse(400, "dataframe_split needs columns: the list of their names.")
    if len(set(columns)) != len(columns):
        refuse(400, "dataframe_split names a column twice.")
    return [_named(row, columns) for row in given["data"]]


def _columns(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows from a list of values per column; one value alone is one row."""
    lists = {name: values if isinstance(values, list) else [values] for name, values in given.items()}
    lengths = {len(values) for values in lists.values()}
    if len(lengths) != 1:
        refuse(400, "The columns of inputs differ in their number of values.")
    return [dict(zip(lists, values)) for values in zip(*lists.values())]


def _named(row: Any, names: list[str]) -> dict[str, Any]:
    if not isinstance(row, list) or len(row) != len(names):
        refuse(422, f"A row is a list of {len(names)} values: {listed(names, quoted=True)}.")
    return dict(zip(names, row))
