"""``vaglio compare TABLE --target NAME --learner c45 --learner knn …``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vaglio.cli import _next
from vaglio.cli import _options as options
from vaglio.cli._outputs import FIGURES, Outputs, as_csv, as_figure, as_json, as_page
from vaglio.cli._session import Answer, UsageError

Out = Annotated[
    list[Path] | None,
    options.out_option(".json, .csv (a line a learner), .html, or .svg, .png, .pdf (accuracies with intervals)"),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", help="Folds, the same for every learner.", rich_help_panel=options.JUDGING)
]
Repeats = Annotated[
    int, typer.Option(min=1, metavar="N", help="How often the folds are drawn anew.", rich_help_panel=options.JUDGING)
]
Only = Annotated[
    bool,
    typer.Option(
        "--accuracy-only",
        help="Leave out the trials with noise, missing values and fewer rows.",
        rich_help_panel=options.JUDGING,
    ),
]


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: options.Learners = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    folds: Folds = 10,
    repeats: Repeats = 1,
    accuracy_only: Only = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = None,
) -> Answer:
    """Put several learners side by side, without a winner.

    Each is measured on the five requirements: accuracy (with its interval), speed, robustness to wrong labels and
    missing values, growth of the time with the rows, and size. Which differences are more than chance is tested.
    """
    from vaglio import compare
    from vaglio.cli import _settings
    from vaglio.evaluation.training import learning_rows

    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    ids = _settings.learner_ids(learner)
    if len(ids) < 2:
        raise UsageError(f"a comparison needs two learners: add --learner to {ids[0]}, or use vaglio evaluate.")
    data = options.Reading(nominal, identifier, ignore, levels, missing, read, keep).read(table, target)
    learning_rows(data, folds)
    trials = {"noise": (), "missing": (), "sizes": ()} if accuracy_only else {}
    result = compare(data, data.target, learners=ids, folds=folds, repeats=repeats, seed=seed, n_jobs=jobs, **trials)
    notes = outputs.write(
        {
            ".json": as_json(result.to_dict),
            ".csv": as_csv(result.to_rows),
            ".html": as_page(f"Learners compared on {Path(table).name}", result._repr_html_),
            **as_figure(lambda: result.plot().figure),
        }
    )
    named = [word for name in ids for word in ("--learner", name)]
    following = _next.next_line(
        _next.with_table("select", table, data.target, *(named if learner else [])),
        _next.with_table(
            "tune", table, data.target, "--learner", result.to_rows()[0]["learner"] if result.to_rows() else ids[0]
        ),
    )
    return Answer({**result.to_dict(), **outputs.to_data()}, [repr(result)], [*notes, following])
