"""The report of a table with the learners of a run: one page that needs no other file."""

from __future__ import annotations

from vaglio.evaluation.training import learning_rows
from vaglio.report import write_report
from vaglio.report.defaults import judging_options
from vaglio.studio.jobs.request import Request
from vaglio.studio.jobs.run_progress import Progress, Task
from vaglio.study import Study

__all__ = ["study_options", "work"]


def study_options(rows: int, columns: int) -> dict[str, object]:
    """Return how a report tries and evaluates learners: as given, without a search."""
    return {"search": "none", **judging_options(rows, columns)}


def work(request: Request) -> None:
    """Run the study and write report.html into the folder of the run."""
    learners = request.learners()
    progress = Progress(request.folder, [Task("report", 1)])
    loaded = request.load()
    table = loaded.table
    learning_rows(table)
    progress.begin(0)
    options = study_options(*table.shape)
    study = Study(
        table, table.target, learners=learners, cost=request.cost, seed=request.seed, selection_options=options
    )

    def report(done: int, total: int, what: str) -> None:
        progress.step(0, done, total, what)

    study.run(progress=report)
    write_report(
        study,
        request.folder / "report.html",
        name=request.state.name,
        source=str(request.data.get("source", "")),
    )
    progress.end(0)
    request.write_result({"report": "report.html", "learner": study.selection.best.learner})
