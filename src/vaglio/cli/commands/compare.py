"""``vaglio compare TABLE --target NAME --learner c45 --learner knn …``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from vaglio.cli._options import (
    CostOptions,
    Jobs,
    Learners,
    Seed,
    TableFile,
    UsageError,
    evaluation_option,
    out_option,
)
from vaglio.cli._output import (
    FIGURES,
    Answer,
    Outputs,
    as_csv,
    as_figure,
    as_json,
    as_page,
    locale,
    next_line,
    with_table,
)
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import LongWorkOptions
from vaglio.cli._searching import check_cost_file
from vaglio.messages.message import text

Folds = Annotated[int, evaluation_option(min=2, metavar="N", help="Number of folds, the same for every learner.")]
Repeats = Annotated[
    int, evaluation_option(min=1, metavar="N", help="Number of times the cross-validation is repeated.")
]
Only = Annotated[
    bool,
    evaluation_option("--accuracy-only", help="Skip the trials with noise, missing values and fewer rows."),
]
Out = Annotated[
    list[Path] | None,
    out_option(".json, .csv (one line per learner), .html, or .svg, .png, .pdf (accuracies or costs with intervals)"),
]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    costs: CostOptions,
    learner: Learners = None,
    folds: Folds = 10,
    repeats: Repeats = 1,
    accuracy_only: Only = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    work: LongWorkOptions,
    out: Out = None,
) -> Answer:
    """Compare several learners on the same folds.

    Measures accuracy (R², RMSE and MAE of predicted numbers; with costs, what a row costs) with its interval, speed,
    robustness to wrong targets and missing values, scalability and size, and tests which differences are significant.

    A table larger than memory is read in chunks; its folds are made by a hash of the row number, and models are trained
    one after the other, or a few at a time on a cluster.
    """
    from vaglio.cli._learners import learner_ids, named_learners
    from vaglio.evaluation import compare

    check_cost_file(costs.cost)
    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    named = named_learners(learner)
    ids = list(dict.fromkeys(named))
    if len(ids) == 1:
        raise UsageError(
            "one-learner",
            ("A comparison needs at least two learners: add another --learner besides {ids}, or use vaglio evaluate."),
            ids=ids[0],
        )
    trials: dict[str, Any] = {"noise": (), "missing": (), "sizes": ()} if accuracy_only else {}
    data = work.rows(table, reading, folds, named)
    ids = learner_ids(learner, data.task)
    how = {
        "learners": ids,
        "cost": costs.cost,
        "folds": folds,
        "repeats": repeats,
        "seed": seed,
        "n_jobs": jobs,
        **trials,
    }
    with work.working():
        result = compare(data.rows, **how)
    rows = result.to_rows()
    notes = outputs.write(
        {
            ".json": as_json(result.to_dict),
            ".csv": as_csv(lambda: rows),
            ".html": as_page(
                text("Learners compared on {name}", name=Path(table).name), lambda: result.to_html(lang=locale())
            ),
            **as_figure(lambda: result.plot(lang=locale()).figure),
        }
    )
    said = [word for name in ids for word in ("--learner", name)] if learner else []
    said += costs.said()
    first = rows[0]["learner"] if rows else ids[0]
    following = next_line(
        with_table("select", table, data.target, *said),
        with_table("tune", table, data.target, "--learner", first, *costs.said()),
    )
    return Answer({**result.to_dict(), **outputs.to_data()}, [result.to_text(lang=locale())], [*notes, following])
