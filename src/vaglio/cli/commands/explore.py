"""``vaglio explore TABLE [--target NAME] [--figure pairs --out picture.svg]``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._options import ForSpreadsheet, Seed, TableFile, UsageError, out_option, output_option
from vaglio.cli._output import (
    FIGURES,
    Answer,
    Outputs,
    as_csv,
    as_figure,
    as_json,
    locale,
    next_line,
    verbose,
    with_table,
)
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import WorkOptions

if TYPE_CHECKING:
    from vaglio.table import Table


class Figure(StrEnum):
    """What a picture shows."""

    histograms = "histograms"
    boxes = "boxes"
    pairs = "pairs"
    associations = "associations"
    forest = "forest"


Picture = Annotated[
    Figure,
    output_option(
        "--figure",
        "-f",
        help=("What a picture shows; forest: the rows by random forest distance beside Euclidean distance."),
    ),
]
Percentiles = Annotated[
    list[float] | None,
    output_option("--percentile", min=0, max=100, metavar="P", help="A percentile to show, e.g. 90; may be repeated."),
]
Out = Annotated[
    list[Path] | None,
    out_option(
        ".json, .csv (one line per column), .html (a page about the table), or .svg, .png, .pdf (one picture)",
    ),
]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    percentile: Percentiles = None,
    figure: Picture = Figure.histograms,
    seed: Seed = 0,
    for_spreadsheet: ForSpreadsheet = False,
    work: WorkOptions,
    out: Out = None,
) -> Answer:
    """Describe, rank and plot the columns of a table.

    Each column gets the statistics that its measurement level allows. With the target (--target), columns are ranked by
    information gain beyond chance, or for numbers by the variance they explain. A table larger than memory is read in
    chunks and its columns are summarized one by one on disk.
    """
    from vaglio.quality import explore
    from vaglio.report import exploration_html

    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    with work.working():
        data = work.table(table, reading)
    seen = explore(data, data.target, seed=seed, percentiles=percentile or (), task=reading.task.value)
    notes = outputs.write(
        {
            ".json": as_json(seen.to_dict),
            ".csv": as_csv(seen.columns, for_spreadsheet),
            ".html": lambda: exploration_html(seen, name=Path(table).name, lang=locale()),
            **as_figure(
                lambda: _forest(data, seed) if figure is Figure.forest else seen.draw(figure.value, lang=locale())
            ),
        }
    )
    return Answer(
        lambda: {**seen.to_dict(), **outputs.to_data()},
        [seen.to_text(all_pairs=verbose(), lang=locale())],
        [*notes, _what_next(table, data, outputs)],
    )


def _forest(data: Table, seed: int) -> Any:
    """Draw the rows by the distance of a forest, which knows the class, beside the Euclidean distance."""
    from vaglio.evaluation.displays import ForestDistanceDisplay

    if data.target is None:
        raise UsageError("forest-without-target", "The forest distance needs the class. Add --target COLUMN.")
    return ForestDistanceDisplay.from_table(data, data.target, seed=seed).plot(lang=locale())


def _what_next(table: str, data: Table, outputs: Outputs) -> str:
    from vaglio.evaluation.training import learnable

    if data.target is None:
        return next_line(f"{with_table('explore', table, None)} --target COLUMN")
    draw = with_table("explore", table, data.target, "--out", "columns.html")
    train = with_table("train", table, data.target, "--folds", min(10, len(data)))
    following = [train] if learnable(data) else []
    return next_line(*([] if outputs.paths and following else [draw]), *following)
