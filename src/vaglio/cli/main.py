"""The program ``vaglio``: finds the command, runs it, and turns whatever happens into one line and an exit code.

Exit codes: 0 done, 1 failed (a file or its content), 2 wrong use (the command line itself), 130 interrupted,
141 the reader of a pipe went away.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from vaglio._version import __version__
from vaglio.cli import _session
from vaglio.cli._session import InterruptError, PipeClosedError, UsageError
from vaglio.cli._wording import as_options
from vaglio.errors import VaglioError
from vaglio.text.sentences import did_you_mean

# Group -> command -> the line `vaglio --help` shows. A command's module is imported when it is called, not before:
# the help of the program must not wait for fifteen commands.
GROUPS = {
    "Look at a table": {
        "datasets": "List the bundled tables, or write one of them to a file.",
        "audit": "Find what is missing, wrong, repeated or too good to be true in a table.",
        "explore": "Describe the columns of a table, rank them, and draw them.",
    },
    "Learn and judge": {
        "train": "Train a learner on a table, say how good it is, and save the model.",
        "evaluate": "Say how good a model, or a learner, is on a table.",
        "compare": "Put several learners side by side, without a winner.",
        "tune": "Search the parameters of one learner.",
        "select": "Choose among learners and their parameters.",
        "report": "Write one HTML page: data, learners, the chosen model, rows explained.",
    },
    "Use and understand a model": {
        "predict": "Give the class of every row of a table, with its probabilities.",
        "explain": "Say why rows of a table get their class.",
        "inspect": "Show what a model file holds, and how to make it again.",
        "rules": "Print a model as IF … THEN … rules, SQL or Python.",
        "export": "Write a model as rules, SQL, Python, CSV, JSON or a drawing.",
        "trace": "Show the work of a learner on a small table, step by step.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
_GROUP_OF = {name: title for title, group in GROUPS.items() for name in group}

FAILED, WRONG_USE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


class Command(TyperCommand):
    """One command; its --help is shown among the options that all commands have, and no option overrules itself."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _refuse_repetition(self.make_parser(ctx).parse_args(list(args))[2], ctx)
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: Any) -> Any:
        option: Any = super().get_help_option(ctx)
        option.metavar, option.rich_help_panel = "", _session.COMMON
        return option


class LazyCommands(TyperGroup):
    """The commands by name; each is imported only when it is run."""

    def get_help_option(self, ctx: Any) -> Any:
        option: Any = super().get_help_option(ctx)
        option.metavar = ""
        return option

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name], rich_help_panel=_GROUP_OF[cmd_name])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS:
            hint = did_you_mean(name, COMMANDS, most=len(COMMANDS))
            raise UsageError(f"There is no command {name!r}: {hint}", ctx)
        return name, load_command(name), args[1:]


def _refuse_repetition(given: Sequence[Any], ctx: Any) -> None:
    """Say so when an option that takes one value is given twice: the last would win, silently."""
    for option in given:
        single = not getattr(option, "multiple", True) and not getattr(option, "is_flag", False)
        if single and given.count(option) > 1:
            several = " (several learners: vaglio compare, vaglio select)" if option.name == "learner" else ""
            raise UsageError(
                f"{option.opts[0]} is given {given.count(option)} times and takes one value{several}.", ctx
            )


def load_command(name: str) -> Any:
    """Import a command and make it ready to run."""
    module = importlib.import_module(f"vaglio.cli.commands.{name}")
    app = typer.Typer(add_completion=False)
    # Line breaks of the source are not those of the terminal.
    paragraphs = [" ".join(text.split()) for text in (module.run.__doc__ or "").split("\n\n")]
    app.command(name, cls=Command, help="\n\n".join(paragraphs))(_session.with_common_options(module.run))
    return _without_flag_types(typer.main.get_command(app))


def _without_flag_types(command: Any) -> Any:
    """An option that is there or not takes no value: its help shows none."""
    for parameter in command.params:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return command


app = typer.Typer(
    cls=LazyCommands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"vaglio {__version__}")
        raise typer.Exit


@app.callback()
def program(
    ctx: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Sort the rows of a table into classes, prove how good the result is, and show why."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        raise typer.Exit(WRONG_USE)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = 0
    try:
        code = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        code = _pipe_closed()
    except OSError as error:  # a full disk shows itself only when the last lines are flushed
        code = code or _fail(_disk_line(error))
        _let_go_of_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    # A traceback is for whoever develops vaglio; asked for anywhere on the line, it replaces the one-line message.
    debug = "--debug" in arguments
    _session.watch_warnings(debug)
    try:
        command = _without_flag_types(typer.main.get_command(app))
        code = command(arguments, standalone_mode=False, prog_name="vaglio")
        return code if isinstance(code, int) else 0
    except UsageError as error:
        where = error.ctx.command_path if error.ctx is not None else "vaglio"
        return _fail(f"{error.format_message()} (see {where} --help)", WRONG_USE)
    except (InterruptError, KeyboardInterrupt, typer.Abort):
        return _fail("interrupted; nothing was left half-written.", INTERRUPTED)
    except PipeClosedError:
        return _pipe_closed()
    except Exception as error:  # the last place where a failure can become one clear line
        if debug:
            raise
        return _fail(_line_for(error))


def _line_for(error: Exception) -> str:
    if isinstance(error, VaglioError):
        return as_options(str(error))
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; try fewer rows or a smaller model."
    if isinstance(error, OSError):
        return _disk_line(error)
    kind = type(error).__name__
    return f"unexpected {kind}: {error} - a defect of vaglio; --debug shows where it happened."


def _disk_line(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "the disk is full: what was being written is not complete; free some space and run it again."
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}."


def _fail(line: str, code: int = FAILED) -> int:
    text = " ".join(line.split())
    print(f"vaglio: {text}", file=sys.stderr)
    return code


def _pipe_closed() -> int:
    """The reader went away (``| head``): say nothing."""
    _let_go_of_output()
    return PIPE_CLOSED


def _let_go_of_output() -> None:
    """Send what is left in the buffer nowhere: Python would try to write it at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
