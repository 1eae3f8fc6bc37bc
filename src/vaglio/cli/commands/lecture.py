"""``vaglio lecture TABLE [--learner id3 --learner knn:n_neighbors=3] [--row 'sunny,cool,high,true'] [--lang it]``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from vaglio.cli._learners import learner_ids, wrong_use
from vaglio.cli._options import TableFile, learner_option, option_help, output_option
from vaglio.cli._output import Answer
from vaglio.cli._reading import ReadingOptions
from vaglio.cli.commands.trace import MaxSteps, Row, RowFile, row_to_classify
from vaglio.learners.registry import FOR_A_LECTURE
from vaglio.messages.message import text

Learners = Annotated[
    list[str] | None,
    learner_option(
        help=option_help(
            "A learner to present, also with parameters: knn:n_neighbors=3; may be repeated. Default: {default}.",
            default=", ".join(FOR_A_LECTURE),
        ),
    ),
]
Out = Annotated[Path, output_option("--out", "-o", metavar="FILE", help="The HTML file.")]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: Learners = None,
    row: Row = None,
    row_file: RowFile = None,
    max_steps: MaxSteps = 40,
    lang: str = "en",
    out: Out = Path("lecture.html"),
) -> Answer:
    """Make slides for a lecture: learners at work on a small table, in one HTML file.

    Every slide shows the table with the rows of the step highlighted, the calculation, and the picture. The arrow keys
    move all three; F fills the screen. The file needs no network.
    """
    from vaglio.runtime.files import check_writable, write_whole
    from vaglio.tracing import make_lecture

    check_writable(out)
    names = learner_ids(learner or list(FOR_A_LECTURE))
    data = reading.read(table)
    with wrong_use():
        made = make_lecture(
            *data.xy(),
            names,
            row=row_to_classify(reading, row, row_file),
            title=Path(table).stem,
            lang=lang,
            max_steps=max_steps,
        )
    write_whole(out, made.to_html())
    slides = len(made.slides)
    done = text("{n:,} {n:slide is|slides are} in {out}. Open it in a browser.", n=slides, out=out)
    return Answer({"out": str(out), "slides": slides, "learners": names}, [], [done])
