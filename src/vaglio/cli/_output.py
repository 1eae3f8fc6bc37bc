"""What a command writes: text or JSON to standard output, remarks to standard error, and the files of ``--out``.

The last remark names the commands that can follow.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaglio.cli._options import UsageError
from vaglio.errors import reason_of
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.messages.printable import ESCAPES, is_whole_text, shown_cell
from vaglio.model.families import KINDS
from vaglio.runtime.files import check_writable, write_whole

if TYPE_CHECKING:
    from vaglio.evaluation.alarms import Alarm
    from vaglio.fitted import Fitted

# What matplotlib draws for us.
FIGURES = (".svg", ".png", ".pdf")

Writer = Callable[[], str | bytes]

_STEERING_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Set once per run by --verbose and --lang: they are asked for deep inside commands, where no argument arrives.
_told = {"verbose": False}
_reader = {"locale": Locale(surface="command")}

# What --read can say only of files that are read as a whole: a stream has neither sheets nor a format to choose.
WHOLE_FILES = ("sheet", "format", "numeric_share")
# Options by name -> the values given.
Said = Mapping[str, Sequence[str]]
# How each table of this run was read: what was said about its columns, and about the file. A command that follows must
# say it again.
_read_by: dict[str, tuple[Said, Said]] = {}


@dataclass(frozen=True)
class Answer:
    """What a command has to say; how it is printed depends on ``--json``.

    Attributes
    ----------
    data : dict, list, or function that returns one
        Printed by ``--json``: plain data. A function is called only then.
    shown : list
        Printed otherwise, to standard output: text or rich renderables.
    notes : list of str
        Where the results are and what can be done next, to standard error.
    code : int
        The exit code: 0, or that of a model that was rejected.
    exact : bool
        The text is for programs: it is printed as it is, unless a person sees it on a terminal.
    """

    data: Any = None
    shown: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    code: int = 0
    exact: bool = False


def print_answer(answer: Answer, as_json: bool) -> None:
    """Print what a command has to say, as JSON or as text."""
    if as_json:
        data = answer.data() if callable(answer.data) else answer.data
        if data is not None:
            print(to_json(data))
        return
    as_it_is = answer.exact and not sys.stdout.isatty()
    for item in answer.shown:
        if isinstance(item, str):
            said = locale().text(item)
            print(said if as_it_is else said.translate(ESCAPES))
        else:
            _print_rich(item)
    sys.stdout.flush()
    for note in answer.notes:
        remark(note)


def _print_rich(item: object) -> None:
    from rich.console import Console

    class Safe(Console):
        """Every cell of a table comes by here."""

        def render_str(self, text: str, **style: Any) -> Any:
            return super().render_str(locale().text(text).translate(ESCAPES), **style)

    # Without these rich reads [brackets] as markup and colours every number.
    Safe(highlight=False, markup=False, emoji=False).print(item)


def to_json(data: Any) -> str:
    """Data as JSON that every program reads: what is not a finite number is null."""
    from vaglio.messages.listing import plain_data

    written = json.dumps(plain_data(data), indent=2, ensure_ascii=False)
    # JSON escapes control characters below 32 alone; a terminal obeys those from 127 on, too.
    return _STEERING_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


# -- standard error ----------------------------------------------------------------------------------------------------
def set_verbose(wanted: bool) -> None:
    """Keep what ``-v`` says."""
    _told["verbose"] = wanted


def verbose() -> bool:
    """Whether ``-v`` asks for more."""
    return _told["verbose"]


def set_language(lang: str) -> None:
    """Keep what ``--lang`` says."""
    _reader["locale"] = Locale(lang, "command")


def locale() -> Locale:
    """How text is written for the person at the terminal."""
    return _reader["locale"]


def tell(said: str) -> None:
    """Say on standard error what is being done, if ``-v`` asks for it."""
    if _told["verbose"]:
        remark(said)


def remark(said: str) -> None:
    """Print a line on standard error. If nobody reads it, the work goes on without."""
    try:
        print(locale().text(said).translate(ESCAPES), file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the program


def watch_warnings(debug: bool) -> None:
    """Print each warning as one line; warnings about code, not data, are for developers."""
    if debug:
        return
    for category in (DeprecationWarning, FutureWarning, PendingDeprecationWarning):
        warnings.simplefilter("ignore", category)
    warnings.showwarning = _remark


def _remark(message: Warning | str, *_: Any, **__: Any) -> None:
    told = reason_of(message) if isinstance(message, Warning) else message
    if not isinstance(told, Message):
        told = " ".join(told.split())
    remark(text("Note: {told}", told=told))


@contextmanager
def progress(what: str, total: int | None = None, *, counted: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error while long work runs; nothing when that is not a terminal.

    Yields a function to call with the number of steps just done. The time left is shown if the total is known; work
    whose steps are not ``counted`` only shows that it goes on.
    """
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    from vaglio.runtime.progress import time_left

    known = [BarColumn(), TaskProgressColumn(), time_left()]
    unknown = [*([TextColumn("{task.completed:,}")] if counted else []), TimeElapsedColumn()]
    columns = [SpinnerColumn(), TextColumn("{task.description}"), *(known if total else unknown)]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(locale().text(what), total=total)
        yield lambda steps: bar.advance(task, steps)


# How Python holds the bytes of a name that is not UTF-8.
_ESCAPED = re.compile("[\udc80-\udcff]")


# -- what makes figures misleading -------------------------------------------------------------------------------------
def alarms_shown(alarms: Sequence[Alarm], command: str) -> list[str]:
    """Alarms to stand above everything, each with the command that mends it."""
    said: list[str] = []
    for alarm in alarms:
        said.append(alarm.in_words())
        said += [text("Run: {command}", command=mended)] if (mended := _mended(alarm, command)) else []
    return [*said, ""] if said else []


def alarms_data(alarms: Sequence[Alarm], command: str) -> list[dict[str, Any]]:
    """The same for ``--json``."""
    return [{**alarm.to_dict(), "command": _mended(alarm, command)} for alarm in alarms]


def _mended(alarm: Alarm, command: str) -> str:
    return f"{command} {shell(*alarm.options)}" if alarm.options else ""


# -- what can be done next ---------------------------------------------------------------------------------------------
def shell(*words: object) -> str:
    """Words as a line that can be pasted into a shell.

    Names of files may have bytes that are not UTF-8, or that a terminal would obey: ``$'…'`` spells them out.

    >>> shell("vaglio", "audit", "my table.csv"), shell("caf\\udce9.csv")
    ("vaglio audit 'my table.csv'", "$'caf\\\\xe9.csv'")
    """
    return " ".join(_shell_word(str(word)) for word in words)


def _shell_word(word: str) -> str:
    if word.isprintable() or not word:
        return shlex.quote(word)
    # As the system gave the name; half of a surrogate pair in a cell has no bytes of its own.
    content = word.encode("utf-8", "surrogateescape" if is_whole_text(_ESCAPED.sub("", word)) else "surrogatepass")
    known = {ord("'"): "\\'", ord("\\"): "\\\\"}
    spelled = (known.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in content)
    return f"$'{''.join(spelled)}'"


def next_line(*commands: str) -> str:
    """``Next: …, or …``."""
    return text(
        "Next: {commands}",
        commands=reduce(lambda before, one: text("{before}, or {one}", before=before, one=one), commands),
    )


def file_list(paths: Sequence[object]) -> str:
    """Files as a sentence names them, each in full."""
    return reduce(lambda before, one: text("{names} and {last}", names=before, last=one), map(str, paths))


def note_reading(table: str, columns: Said, file: Said) -> None:
    """Keep what was said about the columns of a table and about its file, for the commands that follow."""
    _read_by[table] = columns, file


def note_copy(table: str, copy: str) -> None:
    """Keep that a file of ours has the columns of a table but those ignored: what was said holds for it, too."""
    said = _read_by.get(table, ({}, {}))[0]
    _read_by[copy] = {name: given for name, given in said.items() if name != "ignore"}, {}


def read_in_parts(table: str | None) -> bool:
    """Whether ``predict`` can read the table as it was read here."""
    _, file = _read_by.get(table or "-", ({}, {}))
    return not any(given.partition("=")[0] in WHOLE_FILES for given in file.get("read", ()))


def _again(*said: Said) -> list[str]:
    return [
        word for options in said for name, values in options.items() for each in values for word in (f"--{name}", each)
    ]


def with_table(command: str, table: str, target: str | None, *more: object) -> str:
    """A command about the user's table. A table that came through a pipe is gone: its place is marked TABLE."""
    named = [] if target is None else ["--target", target]
    said = _again(*_read_by.get(table, ()))
    return shell("vaglio", command, "TABLE" if table == "-" else table, *named, *more, *said)


def with_model(command: str, model: object, table: str, *more: object) -> str:
    """A command about the user's model and table. The model knows the columns, but not how the file is read."""
    said = _again(*_read_by.get(table, ())[1:])
    return shell("vaglio", command, model, "TABLE" if table == "-" else table, *more, *said)


def after_model(fitted: Fitted, model: Path, table: str | None = None) -> str:
    """What can be done with a model."""
    commands = []
    kind = KINDS.get(fitted.model.kind)
    if kind is not None and kind.readable and hasattr(fitted.model, "rules"):  # nobody reads the rules of a forest
        commands.append(shell("vaglio", "rules", model))
    if table is not None:
        commands.append(with_model("explain", model, table))
    if read_in_parts(table):
        commands.append(with_model("predict", model, table or "-", "--out", "predictions.csv"))
    return next_line(*commands)


# -- files -------------------------------------------------------------------------------------------------------------
class Outputs:
    """The files that ``--out`` names; wrong suffixes and places are refused before the work begins.

    Parameters
    ----------
    paths : sequence of Path or None
        The files.
    suffixes : sequence of str
        What the command can write, the usual one first.
    """

    def __init__(self, paths: Sequence[Path] | None, suffixes: Sequence[str]) -> None:
        self.paths = list(paths or [])
        for path in self.paths:
            if path.suffix.lower() not in suffixes:
                raise UsageError(
                    "unknown-suffix",
                    "--out {path}: this command writes {suffixes} files. Use one of these suffixes.",
                    path=path,
                    suffixes=", ".join(suffixes),
                )
            check_writable(path)

    def having(self, *suffixes: str) -> list[Path]:
        """The files with one of these suffixes."""
        return [path for path in self.paths if path.suffix.lower() in suffixes]

    def write(self, writers: Mapping[str, Writer]) -> list[str]:
        """Write every file whose suffix is among the writers; say where the results are."""
        chosen = self.having(*writers)
        for path in chosen:
            write_whole(path, writers[path.suffix.lower()]())
        return [text("The result is in {files}.", files=file_list(chosen))] if chosen else []

    def to_data(self) -> dict[str, Any]:
        """For ``--json``: where the files are."""
        return {"out": [str(path) for path in self.paths]} if self.paths else {}


def as_json(data: Callable[[], Any]) -> Writer:
    """Plain data as JSON."""
    return lambda: to_json(data())


def as_csv(rows: Callable[[], Sequence[Mapping[str, Any]]], for_spreadsheet: bool = False) -> Writer:
    """Rows as CSV, with every column that any of them has."""

    def write() -> str:
        written = io.StringIO()
        lines = rows()
        names = list(dict.fromkeys(name for row in lines for name in row))
        writer = csv.DictWriter(written, names, lineterminator="\n")
        if for_spreadsheet:
            writer.writer.writerow([shown_cell(name) for name in names])
            lines = [{name: shown_cell(value) for name, value in row.items()} for row in lines]
        else:
            writer.writeheader()
        writer.writerows(lines)
        return written.getvalue()

    return write


def as_page(title: str, body: Callable[[], str]) -> Writer:
    """A fragment of HTML as a page of its own."""

    def write() -> str:
        from vaglio.plot.style import html_page

        return html_page(title, body(), locale().lang)

    return write


def as_figure(draw: Callable[[], Any]) -> dict[str, Writer]:
    """A matplotlib figure in each format it can be saved in."""

    def writer(format: str) -> Writer:
        def write() -> bytes:
            from vaglio.plot.style import figure_bytes

            return figure_bytes(draw(), format)

        return write

    return {suffix: writer(suffix[1:]) for suffix in FIGURES}
