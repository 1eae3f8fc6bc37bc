"""The service: which address does what."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import warnings
from collections.abc import Callable
from dataclasses import asdict
from itertools import accumulate
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio.errors import DataWarning
from vaglio.messages.message import Message
from vaglio.runtime.memory import resident_memory
from vaglio.serve.counters import Counters
from vaglio.serve.http.access import Access
from vaglio.serve.http.application import NOTES, Application, Deadline, Gate, Scope
from vaglio.serve.http.languages import request_locale
from vaglio.serve.http.requests import check_nesting, dump_json, media_type, parse_json, read_body
from vaglio.serve.http.responses import page_routes, refuse
from vaglio.serve.model_store import ModelStore
from vaglio.serve.monitor import KINDS, ColumnDrift, column_drift, prediction_drift
from vaglio.serve.openapi import describe_service, row_schema
from vaglio.serve.protocols import Invocations, OpenInference
from vaglio.serve.request_log import RequestLog, entry_of
from vaglio.serve.served import MatchedRow, Served, plain_json
from vaglio.serve.settings import Settings
from vaglio.serve.wire import ARROW, CSV, JSON, answer_objects, check_rows, read_table, table_answer, unknown_media
from vaglio.table import Table

__all__ = ["Service", "make_application"]

logger = logging.getLogger("vaglio.serve.http")

# Rows that are answered at once: so few take less time than handing them to a thread.
FEW = 16
# Bytes of a body that is read in a thread.
LONG = 1 << 16
# Rows whose reasons one request may ask for.
MOST_EXPLAINED = 100
# Seconds between two looks at the model files, and between two words to the other processes.
_PAUSE = 1.0
_PLAIN_TEXT = "text/plain; version=0.0.4; charset=utf-8"
# The page and its files, which hold no data.
_PAGE = {
    "/": "index.html",
    "/page.css": "page.css",
    "/page.js": "page.js",
    "/docs": "docs.html",
    "/docs.js": "docs.js",
}
_HEALTH = ("/health/live", "/health/ready", "/v2/health/live", "/v2/health/ready", "/ping")
_SEVERITY = {None: 0, "medium": 1, "high": 2}


class Service:
    """Models, what they count, and the functions behind the addresses.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.bounds = settings, settings.bounds
        self.counters = Counters(settings.shared)
        self.store = ModelStore(settings, self.counters)
        self.gate = Gate(settings.bounds, settings.threads)
        self.log = None if settings.log is None else RequestLog(settings.log)
        self.stopping = False
        self._tasks: list[asyncio.Task[Any]] = []

    def application(self) -> Application:
        """Return the ASGI application."""
        routes = [
            Route("/models/{name}/predict", self.predict, methods=["POST"]),
            Route("/models/{name}/explain", self.explain, methods=["POST"]),
            Route("/models/{name}/schema", self.schema),
            Route("/models/{name}/seen", self.seen),
            Route("/models/{name}", self.model),
            Route("/models", self.models),
            Route("/health/live", self.live),
            Route("/health/ready", self.ready),
            Route("/metrics", self.metrics),
            Route("/openapi.json", self.openapi),
            *page_routes("vaglio.serve", "page", _PAGE),
            *OpenInference(self).routes(),
            *Invocations(self).routes(),
        ]
        access = Access(self.settings.tokens, self.settings.hosts)
        return Application(
            routes,
            access,
            self.gate,
            self.observe,
            self.start,
            self.stop,
            open_paths=(*_HEALTH, "/say.js", *_PAGE),
            vital_paths=(*_HEALTH, "/metrics"),
            dialect=_dialect,
        )

    # -- predictions ---------------------------------------------------------------------------------------------------
    async def predict(self, request: Request) -> Response:
        """Answer one row or many."""
        served = self.served(request, "predict")
        media = media_type(request)
        if media not in (JSON, CSV, ARROW):
            unknown_media(media)
        body = await read_body(request, self.bounds)
        if media != JSON:
            return await self.answer_table(request, served, body, media)
        data = await self.parse(body)
        if type(data) is dict:
            answer = await self._predict_one(request, served, served.check(data))
            return Response(dump_json(answer), media_type=JSON)
        if type(data) is not list:
            refuse(422, Message("body-not-rows", "The body must be a row as a JSON object, or a list of such objects."))
        return await self.answer_rows(request, served, data, lambda answers: answers)

    async def _predict_one(self, request: Request, served: Served, row: dict[str, Any]) -> dict[str, Any]:
        if served.is_slow:
            answer: dict[str, Any] = await self._run(served.of_one, row)
            served.monitor.see_row(served.one, row, answer["predicted"])
        else:
            answer = served.answer_one(row)
        self._note(request, served, 1, [row], [answer])
        return answer

    async def answer_rows(
        self, request: Request, served: Served, rows: list[Any], write: Callable[[list[dict[str, Any]]], Any]
    ) -> Response:
        """Answer rows from JSON: a few at once, many in a thread.

        Parameters
        ----------
        request : Request
        served : Served
        rows : list
            Not checked yet.
        write : callable
            From one answer per row to the plain data of the whole answer.
        """
        check_rows(len(rows), self.bounds)
        if len(rows) <= FEW and not served.is_slow:
            answers = [served.answer_one(served.check(row, number)) for number, row in enumerate(rows, 1)]
            self._note(request, served, len(rows), rows, answers)
            return Response(dump_json(write(answers)), media_type=JSON)

        def work(deadline: Deadline) -> tuple[bytes, Any]:
            checked = [served.check(row, number) for number, row in enumerate(rows, 1)]
            answers, seen = served.of_many(served.table_of(checked), deadline)
            objects = answer_objects(served, answers)
            for answer, row in zip(objects, checked):
                if isinstance(row, MatchedRow):
                    answer["matched_columns"] = row.matches
            return dump_json(write(objects)), seen

        content, seen = await self.gate.run(work, large=len(rows) > FEW)
        served.monitor.add(seen)
        self._note(request, served, len(rows), rows, None)
        return Response(content, media_type=JSON)

    async def answer_table(
        self,
        request: Request,
        served: Served,
        body: bytes,
        media: str,
        write: Callable[[list[dict[str, Any]]], Any] | None = None,
    ) -> Response:
        """Answer the rows of a CSV or Arrow body in the same form, or by plain data that ``write`` makes."""

        def work(deadline: Deadline) -> tuple[bytes, Any, Table]:
            table = read_table(body, media, served.fitted, self.bounds)
            answers, seen = served.of_many(table, deadline)
            if write is not None:
                return dump_json(write(answer_objects(served, answers))), seen, table
            return table_answer(served, answers, media), seen, table

        content, seen, table = await self.gate.run(work, large=len(body) > LONG)
        served.monitor.add(seen)
        self._note(request, served, len(table), None, None)
        return Response(content, media_type=media if write is None else JSON)

    async def explain(self, request: Request) -> Response:
        """Say why, and what would change it."""
        served = self.served(request, "explain")
        if media_type(request) != JSON:
            unknown_media(media_type(request), JSON)
        wanted = request.query_params.get("counterfactual", "true")
        if wanted not in ("true", "false"):
            refuse(400, Message("counterfactual-value", "counterfactual must be true or false."))
        data = await self.parse(await read_body(request, self.bounds))
        rows = data if type(data) is list else [data]
        if len(rows) > min(MOST_EXPLAINED, self.bounds.rows):
            refuse(
                413,
                Message(
                    "too-many-explained",
                    "At most {limit:,} rows can be explained at a time. Send fewer rows.",
                    limit=MOST_EXPLAINED,
                ),
            )
        alone = type(data) is not list
        checked = [served.check(row, None if alone else number) for number, row in enumerate(rows, 1)]
        locale = request_locale(request)
        changeable = request.query_params.getlist("changeable")
        how = checked, wanted == "true", changeable, locale
        found = await self.gate.run(served.explain, *how, large=len(rows) > 1)
        self._note(request, served, len(rows), rows, found)
        return Response(dump_json(found[0] if alone else found), media_type=JSON)

    async def parse(self, body: bytes) -> Any:
        """Return what a JSON body says; a long one is read in a thread."""
        data = parse_json(body) if len(body) < LONG else await self._run(parse_json, body)
        check_nesting(data, self.bounds.nesting)
        return data

    # -- what there is -------------------------------------------------------------------------------------------------
    async def models(self, request: Request) -> Response:
        """List the models."""
        models = [self.store.describe(served) for served in self.store]
        return _json(plain_json({"models": models}, request_locale(request)))

    async def model(self, request: Request) -> Response:
        """Describe one model."""
        return _json(plain_json(self.store.describe(self.served(request, "model")), request_locale(request)))

    async def schema(self, request: Request) -> Response:
        """Describe a row of a model."""
        content = dump_json(plain_json(row_schema(self.served(request, "schema")), request_locale(request)))
        return Response(content, media_type="application/schema+json")

    async def seen(self, request: Request) -> Response:
        """Tell what the rows of a model were like."""
        served = self.served(request, "seen")
        return Response(await self._run(self._seen, served, self.counted()), media_type=JSON)

    def _seen(self, served: Served, total: Counters) -> bytes:
        values, name = total.values, served.name
        classes = {key[2]: int(n) for key, n in values.items() if key[:2] == ("vaglio_predictions_total", name)}
        told: dict[str, Any] = {"rows": sum(classes.values()), "classes": classes, "window": total.windows[name][0]}
        for kind in KINDS:
            found = {key[2]: int(n) for key, n in values.items() if key[:2] == (f"vaglio_{kind}_values_total", name)}
            rows = int(values.get((f"vaglio_rows_with_{kind}_values_total", name), 0))
            told[kind] = {"rows": rows, "columns": found}
        drift = self.drift(served, total)
        told["drift"] = {column: asdict(each) for column, each in drift.items()}
        known, counts = served.monitor.predicted, total.windows[name][1][-1]
        if known is not None:
            moved = prediction_drift(known, counts)
            told["predictions"] = {
                "edges": known.edges,
                "expected": known.outside,
                "window": counts,
                "drift": None if moved is None else asdict(moved),
            }
        told["profile"] = any(shares is not None for shares in served.monitor.shares)
        return dump_json(told)

    async def openapi(self, request: Request) -> Response:
        """Describe the service for programs."""
        about = describe_service(self.store, bool(self.settings.tokens))
        return _json(plain_json(about, request_locale(request)))

    async def live(self, request: Request) -> Response:
        """Say that the server lives."""
        return _json({"status": "alive"})

    async def ready(self, request: Request) -> Response:
        """Say whether the server takes requests."""
        return _json({"status": "stopping" if self.stopping else "ready"}, 503 if self.stopping else 200)

    async def metrics(self, request: Request) -> Response:
        """Tell what was counted, and how far the rows are from those of training."""
        request.scope[NOTES]["route"] = "metrics"
        total = self.counted()
        told = await self.gate.run(lambda _: self._told(total), vital=True)
        return Response(told, headers={"content-type": _PLAIN_TEXT})

    def _told(self, total: Counters) -> str:
        """Return the text of the metrics; in a thread."""
        for served in self.store:
            total.add("vaglio_model_info", 1, served.name, served.fitted.learner, served.digest)
            total.add("vaglio_window_rows", total.windows[served.name][0], served.name)
            for column, drift in self.drift(served, total).items():
                total.add("vaglio_drift", drift.value, served.name, column, drift.measure)
                total.add("vaglio_drifted", _SEVERITY[drift.severity], served.name, column)
            self._tell_predictions(served, total)
        total.add("process_resident_memory_bytes", resident_memory())
        return total.text()

    def _tell_predictions(self, served: Served, total: Counters) -> None:
        """Add the predicted numbers of the window to the metrics, and how far they are from those of the evaluation."""
        known = served.monitor.predicted
        if known is None:
            return
        counts = total.windows[served.name][1][-1]
        for edge, rows in zip((*map(repr, known.edges), "+Inf"), accumulate(counts)):
            total.add("vaglio_window_predictions", rows, served.name, edge)
        drift = prediction_drift(known, counts)
        if drift is not None:
            total.add("vaglio_prediction_drift", drift.value, served.name, drift.measure)
            total.add("vaglio_prediction_drifted", _SEVERITY[drift.severity], served.name)

    def drift(self, served: Served, total: Counters) -> dict[str, ColumnDrift]:
        """Return how far the columns of a model are from those of training, as far as that is known."""
        monitor = served.monitor
        columns = zip(monitor.features, monitor.shares, total.windows[served.name][1])
        found = {feature.name: column_drift(shares, bins, len(monitor.features)) for feature, shares, bins in columns}
        return {name: drift for name, drift in found.items() if drift is not None}

    def counted(self) -> Counters:
        """Return what all processes have counted, and their windows."""
        self.counters.windows = {served.name: served.monitor.recent() for served in self.store}
        if self.log is not None:
            self.counters.values[("vaglio_log_failures_total",)] = self.log.failures
            self.counters.values[("vaglio_log_lines_lost_total",)] = self.log.lost
        return self.counters.aggregate()

    # -- around a request ----------------------------------------------------------------------------------------------
    def served(self, request: Request, route: str) -> Served:
        """Return the model that the address names, and note both."""
        notes = request.scope[NOTES]
        notes["route"] = route
        name = request.path_params.get("name")
        served = self.store.only() if name is None else self.store.find(name)
        notes["model"] = served.name
        return served

    async def _run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await self.gate.run(lambda _: work(*arguments))

    def _note(self, request: Request, served: Served, n: int, rows: Any, answers: Any) -> None:
        notes = request.scope[NOTES]
        notes["n_rows"] = n
        self.counters.add("vaglio_rows_total", n, served.name, notes["route"])
        if self.log is not None:
            notes["digest"] = served.digest
            if self.settings.log_rows and rows is not None:
                notes["rows"] = rows
            if self.settings.log_rows and answers is not None:
                notes["answers"] = answers

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        """Count and log an answer."""
        notes = scope[NOTES]
        route = notes.setdefault("route", "other")
        self.counters.add("vaglio_requests_total", 1, route, notes.get("model", ""), str(status))
        self.counters.took(route, seconds)
        if self.log is not None:
            self.log.write(entry_of(notes, status, seconds))

    # -- beginning and end ---------------------------------------------------------------------------------------------
    async def start(self) -> None:
        """Begin what runs beside the requests."""
        self._tasks.append(asyncio.create_task(asyncio.to_thread(column_drift, None, [])))
        if self.settings.watch:
            self._tasks.append(asyncio.create_task(self._repeat(self._look)))
        if self.settings.shared is not None:
            self._tasks.append(asyncio.create_task(self._repeat(self._publish)))

    async def stop(self) -> None:
        """End it, and write what is left."""
        self.stopping = True
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.gate.close()
        if self.log is not None:
            self.log.close()

    async def _repeat(self, work: Callable[[], Any]) -> None:
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - what runs beside the requests must not end because of one failure
                logger.error("unexpected %s beside the requests: %s", type(error).__name__, error)

    async def _look(self) -> None:
        """Serve the models whose files were replaced."""
        for name in self.store.replaced():
            new = await asyncio.to_thread(self.store.reload, name)
            if new is not None:
                self.store.put(new)

    async def _publish(self) -> None:
        self.counters.windows = {served.name: served.monitor.recent() for served in self.store}
        self.counters.publish()


def _dialect(path: str, status: int, detail: str) -> dict[str, str]:
    """Tell a problem as the Open Inference Protocol and MLflow do, too."""
    if path.startswith("/v2"):
        return {"error": detail}
    if path.endswith("/invocations"):
        return {"error_code": "BAD_REQUEST" if status < 500 else "INTERNAL_ERROR", "message": detail}
    return {}


def _json(data: object, status: int = 200) -> Response:
    return Response(dump_json(data), status, media_type=JSON)


def make_application(settings: Settings) -> Application:
    """Return the application of a service; each process makes its own."""
    # The rows of a service are no surprise to the person who started it: the monitor counts what is unusual in them.
    warnings.simplefilter("ignore", DataWarning)
    return Service(settings).application()
