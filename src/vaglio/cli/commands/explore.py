"""``vaglio explore TABLE [--target NAME] [--figure pairs --out picture.svg]``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _next, _session
from vaglio.cli import _options as options
from vaglio.cli._outputs import FIGURES, Outputs, as_csv, as_figure, as_json, as_page
from vaglio.cli._session import Answer


class Figure(StrEnum):
    """What a picture shows."""

    histograms = "histograms"
    boxes = "boxes"
    pairs = "pairs"
    associations = "associations"


Out = Annotated[
    list[Path] | None,
    options.out_option(".json, .csv (a line a column), .html (with all pictures), or .svg, .png, .pdf (one picture)"),
]
Picture = Annotated[
    Figure, typer.Option("--figure", "-f", help="What a picture file shows.", rich_help_panel=options.OUTPUT)
]


def run(
    table: options.TableFile,
    target: options.Target = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    figure: Picture = Figure.histograms,
    seed: options.Seed = 0,
    out: Out = None,
) -> Answer:
    """Describe the columns of a table, rank them, and draw them.

    Each column gets the statistics that its measurement level permits. With the class (--target), columns are ranked
    by what they tell about it: information gain, gain ratio, χ².
    """
    from vaglio.quality import explore

    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target, target_needed=False)
    seen = explore(data, data.target, seed=seed)
    notes = outputs.write(
        {
            ".json": as_json(seen.to_dict),
            ".csv": as_csv(seen.columns),
            ".html": as_page(f"Exploration of {Path(table).name}", seen.to_html),
            **as_figure(lambda: seen.draw(figure.value)),
        }
    )
    return Answer(
        lambda: {**seen.to_dict(), **outputs.to_data()},
        [seen.to_text(all_pairs=_session.verbose())],
        [*notes, _what_next(table, data, outputs)],
    )


def _what_next(table: str, data: Any, outputs: Any) -> str:
    from vaglio.evaluation.training import learnable

    if data.target is None:
        return _next.next_line(f"{_next.with_table('explore', table, None)} --target COLUMN")
    draw = _next.with_table("explore", table, data.target, "--out", "columns.html")
    train = _next.with_table("train", table, data.target, "--folds", min(10, len(data)))
    following = [train] if learnable(data) else []
    return _next.next_line(*([] if outputs.paths and following else [draw]), *following)
