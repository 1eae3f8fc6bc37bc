"""What every command shares: ``--json``, ``--debug``, remarks on standard error, progress on a terminal."""

from __future__ import annotations

import functools
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from vaglio.cli._wording import as_options

# Wrong use of the command line. typer ships its own click in later versions and takes the separate package in earlier
# ones; this is the public way to the class of either.
UsageError: Any = typer.BadParameter.__base__

COMMON = "General"
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the result as JSON instead of text.", rich_help_panel=COMMON),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Say more: details of the result, and what is being done.", rich_help_panel=COMMON
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=COMMON),
]

_told = {"verbose": False}


class InterruptError(Exception):
    """Ctrl-C while a command was at work."""


class PipeClosedError(Exception):
    """Whoever read our output went away, as ``head`` does."""


@dataclass(frozen=True)
class Answer:
    """What a command has to say; how it is said depends on ``--json``.

    Attributes
    ----------
    data : dict, list, or function that gives one
        Printed by ``--json``: plain data. A function is called only then.
    shown : list
        Printed otherwise, to standard output: text or rich renderables.
    notes : list of str
        Where the results are and what one might do next, to standard error.
    """

    data: Any = None
    shown: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def with_common_options(command: Callable[..., Answer | None]) -> Callable[..., None]:
    """Give a command the options that all have, and print its answer."""
    signature = inspect.signature(command, eval_str=True)
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
        for name, annotation in (("json", Json), ("verbose", Verbose), ("debug", Debug))
    ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        as_json = given.pop("json")
        given.pop("debug")
        _told["verbose"] = given.pop("verbose")
        if "as_json" in signature.parameters:
            given["as_json"] = as_json
        # typer would end the program by itself on either, silently.
        try:
            answer = command(**given)
            if answer is not None:
                _print(answer, as_json)
        except BrokenPipeError:
            raise PipeClosedError from None
        except KeyboardInterrupt:
            raise InterruptError from None

    # typer reads both; as_json is how a command that streams rows learns of --json, not an option of its own.
    own = [parameter for name, parameter in signature.parameters.items() if name != "as_json"]
    parameters = [*own, *common]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def verbose() -> bool:
    """Whether ``-v`` asks for more."""
    return _told["verbose"]


def tell(text: str) -> None:
    """Say what is being done, to standard error, if ``-v`` asks for it."""
    if verbose():
        print(text, file=sys.stderr)


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        data = answer.data() if callable(answer.data) else answer.data
        if data is not None:
            print(to_json(data))
        return
    from rich.console import Console

    # Text goes out as it is: rich would read [brackets] as markup and colour every number.
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for item in answer.shown:
        if isinstance(item, str):
            print(item)
        else:
            console.print(item, soft_wrap=False)
    sys.stdout.flush()
    for note in answer.notes:
        print(note, file=sys.stderr)


def to_json(data: Any) -> str:
    """Data as JSON that every program reads: what is not a finite number is null."""
    from vaglio.text.listing import plain_data

    return json.dumps(plain_data(data), indent=2, ensure_ascii=False)


def watch_warnings(debug: bool) -> None:
    """Print warnings as one line each; those about code, not data, are for developers."""
    if debug:
        return
    for category in (DeprecationWarning, FutureWarning, PendingDeprecationWarning):
        warnings.simplefilter("ignore", category)
    warnings.showwarning = _remark


def _remark(message: Warning | str, *_: Any, **__: Any) -> None:
    text = as_options(" ".join(str(message).split()))
    print(f"note: {text}", file=sys.stderr)


@contextmanager
def progress(what: str, total: int | None = None, *, counted: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error while long work runs; silent when it is not a terminal.

    Yields a function to call with the number of steps just done. How long it will still take is shown once the whole
    is known; work whose steps are not ``counted`` only shows that it goes on.
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
        TimeRemainingColumn,
    )

    known = [BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    unknown = [*([TextColumn("{task.completed:,}")] if counted else []), TimeElapsedColumn()]
    columns = [SpinnerColumn(), TextColumn("{task.description}"), *(known if total else unknown)]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.advance(task, steps)
