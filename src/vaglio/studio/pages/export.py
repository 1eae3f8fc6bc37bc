"""Export: the report, the model and its other forms, predictions for another file, and the work as a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from vaglio.errors import ColumnError, InputError, VaglioError
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
from vaglio.table import likeliest, matching_columns, read_chunks

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
        """Write the report, predict, name the columns of a file, cancel."""
        return [("report", self._report), ("predict", self._predict), ("map", self._map), ("cancel", self._cancel)]

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
            "task": opened.task,
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
            "mapping": panels.show(text("Columns of the file"), lambda: self._mapping(chosen), None),
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
                **{name: asked.get(name) for name in ("table", "task", "folds", "holdout", "seed", "cost", "way")},
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
        """Predict a file whose columns are found by their names; else ask which is which."""
        chosen = self._chosen(model)
        wanted, given = chosen.fitted().codebook.names, self._columns_of(file)
        matches = _matches(wanted, given)
        if len(matches) < len(wanted):
            self.project.remember(mapping={"model": chosen.name, "file": file})
            return f"{self.path}?model={chosen.name}#mapping"
        return self._predict_renamed(chosen, file, _renaming(matches, given))

    def _predict_renamed(self, chosen: Learned, file: str, rename: dict[str, str]) -> str:
        self.project.remember(mapping=None)
        self.jobs.start(
            {
                "kind": "predict",
                "table": chosen.run.request["table"],
                "file": file,
                "model_run": chosen.run.name,
                "model": chosen.id,
                "rename": rename,
            }
        )
        return f"{self.path}?model={chosen.name}#predictions"

    # -- columns that have other names in a file ----------------------------------------------------------------------
    def _columns_of(self, file: str) -> list[str]:
        """The columns of a file of the project."""
        path = self.project.tables / file
        # A project may come from somebody else: no name leads out of it.
        if Path(file).name != file or not path.is_file() or path.is_symlink():
            raise InputError("file-not-found", "There is no file {path}.", path=clip(file, 200))
        return list(next(iter(read_chunks(path, 1))).columns)

    def _mapping(self, chosen: Learned) -> dict[str, Any] | None:
        """The form that says which column of the file is which; None where no file waits for it."""
        waiting = self.project.recall("mapping")
        if not isinstance(waiting, dict) or waiting.get("model") != chosen.name:
            return None
        file = str(waiting.get("file"))
        wanted, given = chosen.fitted().codebook.names, self._columns_of(file)
        matches = _matches(wanted, given)
        # The likeliest of the columns left over is proposed; nothing happens without a click.
        for name in wanted:
            free = [column for column in given if column not in matches.values()]
            if name not in matches and (near := likeliest(name, free)) is not None:
                matches[name] = near
        return {"file": file, "given": given, "columns": [{"name": name, "is": matches.get(name)} for name in wanted]}

    def _map(self, form: Form) -> str:
        chosen, file = self._chosen(form.get("model")), form.get("file")
        wanted, given = chosen.fitted().codebook.names, self._columns_of(file)
        typed = {name: form.get(f"column.{number}") for number, name in enumerate(wanted)}
        for name, column in typed.items():
            if column not in given:
                raise ChoiceError(
                    "mapping", "column-not-mapped", "Choose the column of the file that is {name!r}.", name=name
                )
        twice = next((column for column in typed.values() if list(typed.values()).count(column) > 1), None)
        if twice is not None:
            raise ChoiceError(
                "mapping", "column-mapped-twice", "Column {column!r} of the file is chosen twice.", column=twice
            )
        return self._predict_renamed(chosen, file, _renaming(typed, given))

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


def _matches(wanted: list[str], given: list[str]) -> dict[str, str]:
    """The columns of a file that are found by their names; of two that could be meant none is."""
    try:
        return matching_columns(wanted, given)
    except ColumnError:
        return {name: name for name in wanted if name in given}


def _renaming(matches: dict[str, str], given: list[str]) -> dict[str, str]:
    """How columns of a file are renamed to those of a model: column -> name; another one makes room for it."""
    rename = {column: name for name, column in matches.items() if column != name}
    for column in given:
        if column in rename.values() and column not in rename:
            free = next(f"{column}_{n}" for n in range(2, len(given) + 3) if f"{column}_{n}" not in given)
            rename[column] = free
    return rename


def _formats(chosen: Learned) -> dict[str, Any]:
    possible = export_formats(chosen.fitted())
    return {name: FORMATS[name] for name in FORMATS if name in possible}


def _attached(content: str | bytes, name: str) -> Response:
    """A file to keep; the browser shows nothing of it."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    return Response(data, headers=headers, media_type="application/octet-stream")
