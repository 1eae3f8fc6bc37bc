"""``vaglio exercise [TOPIC --seed 17 --level 2 --students 30 --solutions --out sheet.html]``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vaglio.cli._options import UsageError, output_option
from vaglio.cli._output import Answer, next_line
from vaglio.messages.message import text


class SheetFormat(StrEnum):
    """How exercises are written."""

    text = "text"
    html = "html"
    latex = "latex"
    notebook = "notebook"
    moodle = "moodle"
    form = "form"


_BY_SUFFIX = {
    ".html": SheetFormat.html,
    ".htm": SheetFormat.html,
    ".tex": SheetFormat.latex,
    ".ipynb": SheetFormat.notebook,
    ".xml": SheetFormat.moodle,
    ".txt": SheetFormat.form,
}


def _complete_topic(incomplete: str) -> list[tuple[str, str]]:
    """Topics for the shell."""
    from vaglio.exercises import topics

    return [(name, title) for name, title in topics().items() if name.startswith(incomplete)]


TopicName = Annotated[
    str | None,
    typer.Argument(
        metavar="TOPIC",
        help="What the exercise is about; without it, all topics are listed.",
        autocompletion=_complete_topic,
    ),
]
SheetSeed = Annotated[
    int, typer.Option("--seed", min=0, metavar="N", help="The number of the exercise; another one has other numbers.")
]
Level = Annotated[
    int, typer.Option(min=1, max=3, metavar="N", help="1: single figures; 2: also choices; 3: the whole method.")
]
Students = Annotated[
    int, typer.Option(min=1, max=1000, metavar="N", help="Number of sheets, each with a seed of its own.")
]
Solutions = Annotated[bool, typer.Option("--solutions", help="Also write the worked solutions.")]
Format = Annotated[
    SheetFormat | None,
    output_option(
        "--format",
        "-f",
        help="form is the file that a student fills in. By default, from the file's suffix, otherwise text.",
    ),
]
Out = Annotated[
    Path | None, output_option("--out", "-o", metavar="FILE", help="Write to a file instead of standard output.")
]


def run(
    topic: TopicName = None,
    *,
    seed: SheetSeed = 0,
    level: Level = 1,
    students: Students = 1,
    solutions: Solutions = False,
    lang: str = "en",
    format: Format = None,
    out: Out = None,
) -> Answer:
    """Make exercises for a lecture: a small table, questions with unique answers, worked solutions.

    The same topic, seed and level give the same exercise. --format form writes the files that students fill in and
    'vaglio mark' marks; with --students 30 --out form.txt they are form-0.txt, form-1.txt, … by their seeds. An .xml
    file can be imported into Moodle, and an .ipynb file marks the answers itself.
    """
    from vaglio.exercises import exercise
    from vaglio.exercises.formats import written
    from vaglio.runtime.files import check_writable, write_whole

    if topic is None:
        return _listing()
    chosen = format or _BY_SUFFIX.get(out.suffix if out else "", SheetFormat.text)
    forms = chosen is SheetFormat.form and students > 1
    if forms and out is None:
        raise UsageError("one-form-per-file", "A form holds one exercise: for several add --out FILE.txt.")
    if out is not None:
        for path in _forms(out, seed, students) if forms else [out]:
            check_writable(path)
    sheets = [exercise(topic, seed=seed + student, level=level, lang=lang) for student in range(students)]
    if forms and out is not None:
        paths = _forms(out, seed, students)
        for path, sheet in zip(paths, sheets, strict=True):
            write_whole(path, written([sheet], chosen.value, solutions))
        told = text("{n:,} forms are in {first} … {last}.", n=students, first=paths[0], last=paths[-1])
        following = next_line(f"vaglio mark {out.with_stem(f'{out.stem}-*')} --out marks.csv")
        return Answer(
            {"out": [str(path) for path in paths], "format": chosen.value, "exercises": students}, [], [told, following]
        )
    content = written(sheets, chosen.value, solutions)
    data = [{**sheet.solution().to_dict(), "facts": sheet.facts} for sheet in sheets]
    if out is None:
        return Answer(data, [content.rstrip("\n")], exact=chosen is not SheetFormat.text)
    write_whole(out, content)
    done = text("{n:,} {n:exercise is|exercises are} in {out}.", n=students, out=out)
    return Answer({"out": str(out), "format": chosen.value, "exercises": students}, [], [done])


def _forms(out: Path, seed: int, students: int) -> list[Path]:
    """The files of several forms, by the seeds of their exercises."""
    return [out.with_stem(f"{out.stem}-{seed + student}") for student in range(students)]


def _listing() -> Answer:
    from rich.table import Table as Grid

    from vaglio.exercises import topics

    grid = Grid(box=None, pad_edge=False)
    for heading in (text("topic"), text("title")):
        grid.add_column(heading)
    for name, title in topics().items():
        grid.add_row(name, title)
    return Answer(
        [{"topic": name, "title": title} for name, title in topics().items()],
        [grid],
        [next_line("vaglio exercise id3 --seed 17 --solutions --out id3.html")],
    )
