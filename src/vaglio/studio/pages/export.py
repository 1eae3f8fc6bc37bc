"""Export: the report, the model and its other forms, predictions for another file, and the work as a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from vaglio.errors import InputError, VaglioError
from vaglio.fitted import FORMATS, export_formats
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.serve.http.responses import refuse
from vaglio.studio.forms import ChoiceError, Form, receive_file
from vaglio.studio.pages.page import Action, Page, Panels
from vaglio.studio.pages.runs import Learned, choose_model, is_of, job_view
from vaglio.studio.project.steps import program_lines
from vaglio.studio.reproducing import as_commands, as_program

__all__ = ["ExportPage"]

_ENDINGS = {
    "text": "txt", "exact": "rules", "json": "json", "sql": "sql", "python": "py", "c": "c", "javascript": "js",
    "onnx": "onnx", "pmml": "pmml", "csv": "csv", "tree": "txt", "svg": "svg",
}  # fmt: skip
# The report is a page with scripts of its own: it may do nothing to the studio.
_APART = {"content-security-policy": "sandbox allow-scripts allow-popups; default-src 'none'; "
          "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"}  # fmt: skip


class ExportPage(Page):
    """The page Export."""

    title = text("Export")
    lead = text("Download the report, the model, predictions, and your work as a program.")

    def actions(self) -> list[tuple[str, Action]]:
        """Write the report, predict, cancel."""
        return [("report", self._report), ("predict", self._predict), ("cancel", self._cancel)]

    def more_routes(self) -> list[Route]:
        """Files to keep."""
        return [
            Route("/export/upload", self._upload, methods=["POST"]),
            Route("/export/model", self._model_file),
            Route("/export/export", self._export),
            Route("/export/program", self._program_file),
            Route("/export/commands", self._commands_file),
            Route("/export/report/{run}", self._report_file),
            Route("/export/predictions/{run}", self._predictions_file),
        ]

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return what there is to keep of a model."""
        opened = self.bench.need_table()
        chosen, models = choose_model(self.jobs, opened, query.get("model", ""))
        panels = Panels()
        formats: dict[str, Any] = panels.show(text("Other formats"), lambda: _formats(chosen), {})
        return {
            "chosen": chosen,
            "models": models,
            "size": (chosen.run.folder / f"{chosen.id}.vaglio").stat().st_size,
            "formats": formats,
            "program": panels.show(text("Python program"), lambda: as_program(chosen), ""),
            "commands": panels.show(text("Commands"), lambda: as_commands(chosen, opened.table), []),
            "reports": [
                job_view(run)
                for run in self.jobs.all("report")
                if is_of(run, opened) and run.request.get("model") == chosen.name
            ][:3],
            "predictions": [job_view(run) for run in self.jobs.all("predict")[:5]],
            "upload_limit": self.studio.settings.upload,
            "problems": panels.problems,
        }

    # -- what its forms do ---------------------------------------------------------------------------------------------
    def _chosen(self, name: str) -> Learned:
        chosen, models = choose_model(self.jobs, self.bench.need_table(), name)
        if name and chosen.name not in {each.name for each in models}:
            raise InputError("model-gone", "This model no longer exists. Choose another one.")
        return chosen

    def _report(self, form: Form) -> str:
        chosen = self._chosen(form.get("model"))
        source = program_lines(chosen.request.state)
        asked = chosen.run.request
        # What the run chose among is chosen among again; a learner that was trained by itself is reported by itself.
        learners = [each for each in asked["learners"] if chosen.request.way == "choose" or each["id"] == chosen.id]
        cleaned = len(source) > 1
        self.jobs.start(
            {
                **{name: asked.get(name) for name in ("table", "folds", "holdout", "seed", "cost", "way")},
                "kind": "report",
                "learners": learners,
                "model": chosen.name,
                "source": "" if cleaned else source[0].partition(" = ")[2],
                "lang": form.lang,
            }
        )
        return f"{self.path}?model={chosen.name}#report"

    def _predict(self, form: Form) -> str:
        given = form.get("path").strip()
        if not given:
            raise ChoiceError("predict", "file-not-named", "Enter the path of a file on this machine.")
        return self._start_predicting(form.get("model"), self.project.take_in(Path(given).expanduser()))

    def _start_predicting(self, model: str, file: str) -> str:
        chosen = self._chosen(model)
        self.jobs.start(
            {
                "kind": "predict",
                "table": chosen.run.request["table"],
                "file": file,
                "model_run": chosen.run.name,
                "model": chosen.id,
            }
        )
        return f"{self.path}?model={chosen.name}#predictions"

    async def _upload(self, request: Request) -> Response:
        place = await receive_file(request, self.project, self.studio.settings.upload)
        try:
            await self.studio.compute(self._start_predicting, request.query_params.get("model", ""), place.name)
        except VaglioError as error:
            place.unlink(missing_ok=True)
            refuse(422, error.message)
        return Response(status_code=204)

    def _cancel(self, form: Form) -> None:
        self.jobs.cancel(form.get("run"))

    # -- files ---------------------------------------------------------------------------------------------------------
    async def _model_file(self, request: Request) -> Response:
        chosen = await self.studio.compute(self._chosen, request.query_params.get("model", ""))
        return FileResponse(chosen.run.folder / f"{chosen.id}.vaglio", filename=f"{chosen.id}.vaglio")

    async def _export(self, request: Request) -> Response:
        form = request.query_params.get("format", "")
        if form not in _ENDINGS:
            refuse(
                422,
                Message(
                    "unknown-export-format",
                    "There is no format {format!r}: {hint}",
                    format=clip(form),
                    hint=did_you_mean(form, _ENDINGS),
                ),
            )
        chosen = await self.studio.compute(self._chosen, request.query_params.get("model", ""))
        content = await self.studio.compute(lambda: chosen.fitted().export(form))
        return _attached(content, f"{chosen.id}.{_ENDINGS[form]}")

    async def _program_file(self, request: Request) -> Response:
        chosen = await self.studio.compute(self._chosen, request.query_params.get("model", ""))
        return _attached(as_program(chosen), f"{chosen.id}.py")

    async def _commands_file(self, request: Request) -> Response:
        chosen = await self.studio.compute(self._chosen, request.query_params.get("model", ""))
        return _attached("\n".join(as_commands(chosen, self.bench.need_table().table)) + "\n", f"{chosen.id}.sh")

    async def _report_file(self, request: Request) -> Response:
        path = self._finished(request, "report") / "report.html"
        if "keep" in request.query_params:
            return FileResponse(path, filename="report.html", media_type="text/html", headers=_APART)
        return FileResponse(path, media_type="text/html", headers=_APART)

    async def _predictions_file(self, request: Request) -> Response:
        path = self._finished(request, "predict") / "predictions.csv"
        return FileResponse(path, filename="predictions.csv", media_type="text/csv")

    def _finished(self, request: Request, kind: str) -> Path:
        run = self.jobs.get(request.path_params["run"])
        if run.kind != kind or run.state != "done":
            raise InputError("run-without-file", "This run has no file to download.")
        return run.folder


def _formats(chosen: Learned) -> dict[str, Any]:
    possible = export_formats(chosen.fitted())
    return {name: FORMATS[name] for name in FORMATS if name in possible}


def _attached(content: str | bytes, name: str) -> Response:
    """A file to keep; the browser shows nothing of it."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    return Response(data, headers=headers, media_type="application/octet-stream")
