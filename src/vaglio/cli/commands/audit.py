"""``vaglio audit TABLE [--target NAME] [--reference TABLE] [--clean FILE]``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _next, _session
from vaglio.cli import _options as options
from vaglio.cli._outputs import Outputs, as_csv, as_json, as_page
from vaglio.cli._session import Answer, UsageError
from vaglio.cli._wording import as_options

Out = Annotated[list[Path] | None, options.out_option(".json, .csv (the findings) or .html")]
Reference = Annotated[
    str | None,
    typer.Option(
        metavar="TABLE",
        help="A table that this one should look like: what has drifted is told.",
        rich_help_panel=options.DATA,
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=LOW..HIGH",
        help="The values a column may have: age=0..120, or size=S,M,L; may be repeated.",
        rich_help_panel=options.DATA,
    ),
]
Clean = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a cleaned copy of the table (.csv, .parquet, .jsonl) and say what was done.",
        rich_help_panel=options.OUTPUT,
    ),
]
Choices = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=CHOICE",
        help="How --clean treats a kind of finding, e.g. duplicates=drop, outliers=clip; may be repeated.",
        rich_help_panel=options.OUTPUT,
    ),
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
    reference: Reference = None,
    allow: Allow = None,
    clean: Clean = None,
    choices: Choices = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = None,
) -> Answer:
    """Find what is missing, wrong, repeated or too good to be true in a table.

    Nothing is changed. With the class (--target) also imbalance, contradictions and columns that give the class away
    are found. With -v, what to do about each finding.
    """
    from vaglio import audit

    outputs = Outputs(out, (".json", ".csv", ".html"))
    policy = _policy(choices, clean)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target, target_needed=False)
    like = None if reference is None else reading.read(reference, data.target, target_needed=False)
    found = audit(data, data.target, rules=_allowed(allow), reference=like, seed=seed, n_jobs=jobs)
    notes = outputs.write(
        {
            ".json": as_json(found.to_dict),
            ".csv": as_csv(found.to_rows),
            ".html": as_page(f"Audit of {Path(table).name}", found._repr_html_),
        }
    )
    shown = [as_options(found.to_text(advice=_session.verbose()))]
    if clean is not None:
        notes += _cleaned(found, policy, clean)
    return Answer(lambda: {**found.to_dict(), **outputs.to_data()}, shown, [*notes, _what_next(table, data, clean)])


def _allowed(texts: list[str] | None) -> dict[str, Any]:
    """``age=0..120`` to a range, ``size=S,M,L`` to a set."""
    rules: dict[str, Any] = {}
    for text in texts or []:
        name, values = options.pair(text, "--allow")
        low, dots, high = values.partition("..")
        try:
            rules[name] = (float(low or "-inf"), float(high or "inf")) if dots else set(values.split(","))
        except ValueError:
            raise UsageError(f"--allow {text}: a range has numbers on both sides of '..', as in age=0..120.") from None
    return rules


def _policy(choices: list[str] | None, clean: Path | None) -> Any:
    from vaglio.errors import InputError
    from vaglio.quality import Policy
    from vaglio.runtime.files import check_writable

    if clean is None:
        if choices:
            raise UsageError("--set says how --clean cleans: add --clean FILE.")
        return None
    check_writable(clean)
    pairs = dict(options.pair(text, "--set") for text in choices or [])
    try:
        return Policy(**pairs)
    except TypeError:
        known = ", ".join(Policy.__dataclass_fields__)
        raise UsageError(f"--set {next(iter(pairs))}: cleaning knows {known}.") from None
    except InputError as error:
        raise UsageError(str(error)) from None


def _cleaned(found: Any, policy: Any, path: Path) -> list[str]:
    from vaglio.table import write

    table, log = found.clean(policy)
    write(table, path)
    return [*(f"Cleaned: {line}." for line in log or ("nothing was to be done",)), f"The cleaned table is in {path}."]


def _what_next(table: str, data: Any, clean: Path | None) -> str:
    from vaglio.evaluation.training import learnable

    where = str(clean) if clean is not None else table
    if data.target is None:
        return _next.next_line(f"{_next.with_table('audit', where, None)} --target COLUMN")
    explore = _next.with_table("explore", where, data.target)
    train = _next.with_table("train", where, data.target)
    return _next.next_line(explore, train) if learnable(data) else _next.next_line(explore)
