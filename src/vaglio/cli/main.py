"""The program ``vaglio``: finds the command, runs it, and turns every failure into one line and an exit code.

Exit codes: 0 done, 1 failed (a file or its content), 2 wrong use (the command line itself), 3 a model was rejected by
the criterion of --accept, 130 interrupted, 141 the reader of a pipe went away.
"""

from __future__ import annotations

import contextvars
import errno
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, NoReturn, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from vaglio._version import __version__
from vaglio.cli._options import (
    GENERAL,
    ClickUsageError,
    UsageError,
    files_read,
    flat_parameters,
    general_option,
    grouped,
    help_text,
    option_help,
    option_parameters,
)
from vaglio.cli._output import Answer, locale, print_answer, remark, set_language, set_verbose, to_json, watch_warnings
from vaglio.errors import VaglioError
from vaglio.messages.locale import LANGUAGES, PSEUDO, chosen_language
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.runtime.files import protect

# Group -> command -> the line `vaglio --help` shows. A command's module is imported when it is called, not before:
# the help of the program must not wait for fifteen commands.
GROUPS = {
    text("Look at a table"): {
        "datasets": text("List the bundled tables, or write one to a file."),
        "audit": text("Check a table for missing values, errors, duplicates and leakage."),
        "explore": text("Describe, rank and plot the columns of a table."),
    },
    text("Learn and evaluate"): {
        "train": text("Train a model on a table, evaluate it and save it."),
        "evaluate": text("Evaluate a model or a learner on a table."),
        "compare": text("Compare several learners on the same folds."),
        "tune": text("Tune the parameters of one learner."),
        "select": text("Select the best of several learners and parameters."),
        "report": text("Write an HTML report: data, learners, model, explained rows."),
    },
    text("Use and understand a model"): {
        "predict": text("Predict the class or the number of every row."),
        "explain": text("Explain predictions row by row."),
        "inspect": text("Show what a model file contains, and how to reproduce it."),
        "rules": text("Print a model as IF … THEN … rules, SQL or Python."),
        "export": text("Export a model: rules, SQL, Python, C, JavaScript, ONNX, PMML or a drawing."),
        "edit": text("Edit a term of an additive model by expert knowledge."),
        "serve": text("Serve models over HTTP."),
        "studio": text("Open the studio in the browser: from a table to a decision, without code."),
    },
    text("Teach"): {
        "trace": text("Show how a learner works on a small table, step by step."),
        "lecture": text("Make slides for a lecture: learners at work on a table."),
        "plot": text("Draw a figure: decision regions, margins, densities, a neuron, ROC curves, entropy."),
        "exercise": text("Make exercises with worked solutions."),
        "mark": text("Mark answers to exercises."),
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
_GROUP_OF = {name: title for title, group in GROUPS.items() for name in group}

FAILED, WRONG_USE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


# What typer itself writes into the help; here, so that the catalogues have it.
OF_TYPER = (
    text("Show this message and exit."),
    text("Install completion for the current shell."),
    text("Show completion for the current shell, to copy it or customize the installation."),
)
# The parameters of the command that is run, by name: what is wrong with a value is said by what we know of them.
_parameters: dict[str, inspect.Parameter] = {}


class InterruptError(Exception):
    """Ctrl-C while a command was at work."""


class PipeClosedError(Exception):
    """The program that reads our output has ended, as ``head`` does."""


_LANGUAGE_HELP = option_help("Language of the output: en or it. Default: VAGLIO_LANG, or the language of the terminal.")


@dataclass(frozen=True)
class GeneralOptions:
    """The options of every command."""

    json: Annotated[bool, general_option("--json", help="Print the result as JSON.")] = False
    verbose: Annotated[
        bool,
        general_option("--verbose", "-v", help="Print more details, and what is being done."),
    ] = False
    force: Annotated[bool, general_option("--force", help="Overwrite files of another kind.")] = False
    lang: Annotated[
        str | None,
        general_option("--lang", metavar="LANG", help=_LANGUAGE_HELP),
    ] = None
    debug: Annotated[bool, general_option("--debug", help="Show the traceback of errors.")] = False


class HelpInLanguage:
    """Help in the language of the reader, for a command and for the group of all commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole help."""
        _name_panels()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the first line."""
        words = " ".join(self.collect_usage_pieces(ctx))  # type: ignore[attr-defined]
        formatter.write_usage(ctx.command_path, words, prefix=locale().say("Usage: "))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, each with its help translated."""
        return [_in_language(parameter) for parameter in super().get_params(ctx)]  # type: ignore[misc]


class Command(HelpInLanguage, TyperCommand):
    """One command. Its --help stands among the general options, and an option given twice is refused."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _, further, given = self.make_parser(ctx).parse_args(list(args))
            _refuse_repetition(given, ctx)
            if further:
                raise UsageError(
                    "further-arguments",
                    "Unexpected {n:argument|arguments}: {words}.",
                    ctx=ctx,
                    n=len(further),
                    words=listed(further),
                )
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: Any) -> Any:
        option: Any = super().get_help_option(ctx)
        option.metavar, option.rich_help_panel = "", GENERAL
        return option


class LazyCommands(HelpInLanguage, TyperGroup):
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
        said = locale()
        return TyperCommand(
            cmd_name, help=said.text(COMMANDS[cmd_name]), rich_help_panel=said.text(_GROUP_OF[cmd_name])
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS:
            hint = did_you_mean(name, COMMANDS, most=len(COMMANDS))
            raise UsageError("unknown-command", "There is no command {name!r}: {hint}", ctx=ctx, name=name, hint=hint)
        return name, load_command(name), args[1:]


def _in_language(parameter: Any) -> Any:
    """The option with its help in the language of the reader."""
    parameter.help = help_text(parameter.help)
    if getattr(parameter, "rich_help_panel", None):
        parameter.rich_help_panel = help_text(parameter.rich_help_panel)
    return parameter


def _name_panels() -> None:
    """Write typer's own words of the help in the language of the reader."""
    from typer import rich_utils

    say = locale().say
    rich_utils.ARGUMENTS_PANEL_TITLE, rich_utils.OPTIONS_PANEL_TITLE = say("Arguments"), say("Options")
    rich_utils.DEFAULT_STRING = f"[{say('default')}: {{}}]"
    rich_utils.REQUIRED_LONG_STRING = f"[{say('required')}]"


def _refuse_repetition(given: Sequence[Any], ctx: Any) -> None:
    """Refuse an option that takes one value and is given twice: click would silently take the last."""
    for option in given:
        single = not getattr(option, "multiple", True) and not getattr(option, "is_flag", False)
        if single and given.count(option) > 1:
            n, flag = given.count(option), option.opts[0]
            if option.name == "learner":
                raise UsageError(
                    "several-learners",
                    "{flag} is given {n} times and takes one value. "
                    "For several learners use vaglio compare or vaglio select.",
                    ctx=ctx,
                    flag=flag,
                    n=n,
                )
            raise UsageError(
                "option-repeated", "{flag} is given {n} times and takes one value.", ctx=ctx, flag=flag, n=n
            )


def load_command(name: str) -> Any:
    """Import a command and make it ready to run."""
    module = importlib.import_module(f"vaglio.cli.commands.{name}")
    app = typer.Typer(add_completion=False)
    # The terminal breaks lines at other places than the source.
    paragraphs = [help_text(" ".join(lines.split())) for lines in (module.run.__doc__ or "").split("\n\n")]
    app.command(name, cls=Command, help="\n\n".join(paragraphs))(as_command(module.run))
    return _without_flag_types(typer.main.get_command(app))


def as_command(run: Callable[..., Answer]) -> Callable[..., None]:
    """The function that typer calls: it has one parameter per option, and prints what the command returns."""
    # as_json and lang are how a command learns of --json and --lang; they are not options of its own.
    own = [parameter for parameter in flat_parameters(run) if parameter.name not in ("as_json", "lang")]

    @functools.wraps(run)
    def command(**given: Any) -> None:
        set_verbose(given["verbose"])
        # typer would end the program by itself on either error, without a message.
        try:
            context = contextvars.copy_context()
            context.run(protect, files_read(own, given), given["force"])
            answer = context.run(run, **grouped(run, {**given, "as_json": given["json"], "lang": locale().lang}))
            print_answer(answer, given["json"])
            if answer.code:
                raise typer.Exit(answer.code)
        except OSError as error:
            if not _is_closed_output(error):
                raise
            raise PipeClosedError from None
        except KeyboardInterrupt:
            raise InterruptError from None

    # typer reads both.
    parameters = [*own, *option_parameters(GeneralOptions)]
    _parameters.update({parameter.name: parameter for parameter in parameters})
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _without_flag_types(command: Any) -> Any:
    """A flag takes no value: its help shows none."""
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
    lang: str | None = typer.Option(None, "--lang", metavar="LANG", help=_LANGUAGE_HELP),
) -> None:
    """Train models on a table, evaluate them and explain their predictions."""
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
    except OSError as error:  # a full disk, or a closed pipe, is noticed only when the last lines are flushed
        if _is_closed_output(error):
            code = _pipe_closed()
        else:
            code = code or _fail(_disk_line(error))
            _let_go_of_output()
    sys.exit(code)


def _is_closed_output(error: OSError) -> bool:
    """Whether nobody reads standard output: the end of a pipe was closed, or it was closed from the start.

    Windows says "invalid argument" of a pipe whose reader went away.
    """
    closed = (errno.EPIPE, errno.EBADF, errno.ESHUTDOWN, *((errno.EINVAL,) if sys.platform == "win32" else ()))
    return error.filename is None and error.errno in closed


def _run(arguments: list[str]) -> int:
    # A traceback is for developers of vaglio. It replaces the one-line message wherever --debug stands on the line.
    debug, as_json = "--debug" in arguments, "--json" in arguments
    watch_warnings(debug)
    try:
        # Before the options are parsed: help and mistakes in the options are read by people, too.
        set_language("en")
        set_language(_language(arguments, as_json))
        command = _without_flag_types(typer.main.get_command(app))
        command.help = help_text(command.help)
        code = command(arguments, standalone_mode=False, prog_name="vaglio")
        return code if isinstance(code, int) else 0
    except ClickUsageError as error:
        where = error.ctx.command_path if error.ctx is not None else "vaglio"
        told = error.message if isinstance(error.message, Message) else _of_click(error)
        return _fail(text("{told} (see {where} --help)", told=told, where=where), WRONG_USE, as_json=as_json)
    except (InterruptError, KeyboardInterrupt, typer.Abort):
        return _fail(text("Interrupted. No file was left incomplete."), INTERRUPTED)
    except PipeClosedError:
        return _pipe_closed()
    except Exception as error:  # the last place where a failure can become one clear line
        if debug:
            raise
        return _fail(_line_for(error), as_json=as_json)


def _of_click(error: Any) -> str:
    """A mistake that typer itself finds, as a message of ours."""
    parameter = getattr(error, "param", None)
    if parameter is None:
        name = getattr(error, "option_name", None)
        if name is None:
            return str(error.format_message())
        known = getattr(error, "possibilities", None) or []
        if getattr(error, "possibilities", None) is not None and known:
            return Message(
                "misspelled-option",
                "There is no option {name}: did you mean {known}?",
                name=name,
                known=listed(known, last="or"),
            )
        if type(error).__name__ == "NoSuchOption":
            return Message("unknown-option", "There is no option {name}.", name=name)
        return Message("option-without-value", "{name} needs a value.", name=name)
    annotation = _parameters[parameter.name].annotation
    option, kind = annotation.__metadata__[0], get_args(annotation)[0]
    kinds = [each for each in (*get_args(kind), kind) if isinstance(each, type)]
    # The long form of an option, or the name of an argument in the help.
    name = max(parameter.opts, key=len) if parameter.opts[-1].startswith("-") else option.metavar
    if type(error).__name__ == "MissingParameter":
        return Message("missing-argument", "{name} is missing.", name=name)
    for each in kinds:
        if issubclass(each, Enum):
            choices = listed([one.value for one in each], most=40, last="or")
            return Message("invalid-choice", "{name} must be {choices}.", name=name, choices=choices)
    low, high = option.min, option.max
    if low is not None and high is not None:
        return Message(
            "number-out-of-range", "{name} must be a number from {low:g} to {high:g}.", name=name, low=low, high=high
        )
    if low is not None:
        return Message("number-too-small", "{name} must be a number of at least {low:g}.", name=name, low=low)
    if int in kinds or float in kinds:
        return Message("not-number", "{name} must be a number.", name=name)
    return Message("invalid-value", "{name} is not valid.", name=name)


def _language(arguments: Sequence[str], as_json: bool) -> str:
    """Return the language of this run; programs that read JSON get English unless they ask for another language."""
    asked = (
        word for i, word in enumerate(arguments) if (i and arguments[i - 1] == "--lang") or word.startswith("--lang=")
    )
    given = next((word.removeprefix("--lang=") for word in asked), None)
    if given is not None and given not in (*LANGUAGES, PSEUDO):
        raise UsageError(
            "unknown-language",
            "--lang: there is no language {given!r}. Choose {known}.",
            given=given,
            known=listed(LANGUAGES, last="or"),
        )
    lang = chosen_language(given, people=False if as_json else None)
    return lang if lang in (*LANGUAGES, PSEUDO) else "en"


def _line_for(error: Exception) -> str:
    if isinstance(error, VaglioError):
        return error.message
    if isinstance(error, MemoryError):
        return text("Out of memory. Try fewer rows or a smaller model.")
    if isinstance(error, OSError):
        return _disk_line(error)
    return text(
        "Unexpected {kind}: {error}. This is a bug in vaglio; --debug shows where it happened.",
        kind=type(error).__name__,
        error=str(error),
    )


def _disk_line(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return text("The disk is full and the output is incomplete. Free some space and run the command again.")
    reason = error.strerror or str(error)
    return text("{file}: {reason}.", file=error.filename, reason=reason) if error.filename else f"{reason}."


def _fail(line: str, code: int = FAILED, *, as_json: bool = False) -> int:
    if as_json:
        told = line.values.get("told", line) if isinstance(line, Message) and not line.code else line
        print(
            to_json(
                {"error": told.as_data() if isinstance(told, Message) else {"code": "", "text": told, "values": {}}}
            )
        )
    remark(f"vaglio: {' '.join(locale().text(line).split())}")
    return code


def _pipe_closed() -> int:
    """The reading program has ended (``| head``), which is no error: say nothing."""
    _let_go_of_output()
    return PIPE_CLOSED


def _let_go_of_output() -> None:
    """Throw away what is left in the buffer: Python would try to write it at exit, and print an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
