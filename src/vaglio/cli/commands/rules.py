"""``vaglio rules model.vaglio [--format text|exact|json|sql|python]``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from vaglio.cli._options import ModelFile, output_option
from vaglio.cli._output import Answer, next_line, shell
from vaglio.messages.message import text


class RuleFormat(StrEnum):
    """How rules are written."""

    text = "text"
    exact = "exact"
    json = "json"
    sql = "sql"
    python = "python"


Format = Annotated[
    RuleFormat, output_option("--format", "-f", help="text is for reading; exact has every digit and can be read back.")
]
Out = Annotated[
    Path | None, output_option("--out", "-o", metavar="FILE", help="Write to a file instead of standard output.")
]


def run(model: ModelFile, format: Format = RuleFormat.text, out: Out = None, *, as_json: bool = False) -> Answer:
    """Print a model as IF … THEN … rules for people, databases or programs.

    An additive model is printed term by term, gradient boosting by its first trees.
    """
    import json

    from vaglio.fitted import export_formats, load
    from vaglio.runtime.files import check_writable, write_whole

    if out is not None:
        check_writable(out)

    fitted, chosen = load(model), RuleFormat.json if as_json else format
    if not callable(getattr(fitted.model, "rules", None)) and "text" in export_formats(fitted):
        # No rules that decide by themselves, but tables or trees that are read like them.
        return _like_rules(fitted.export("text" if as_json else format.value), out)
    rules = fitted.rules()
    # Text has numbers of few digits, for reading; RuleSet.parse reads the exact text back.
    writers = {"text": rules.__str__, "exact": rules.to_text, "json": rules.to_json, "sql": rules.to_sql}
    written = writers.get(chosen.value, rules.to_python)()
    if out is None:
        as_sql, as_python = (shell("vaglio", "rules", model, "--format", name) for name in ("sql", "python"))
        notes = [next_line(as_sql, as_python)] if chosen is RuleFormat.text else []
        return Answer(json.loads(rules.to_json()), [written.rstrip("\n")], notes, exact=chosen is not RuleFormat.text)
    write_whole(out, written)
    return Answer(
        {"rules": len(rules), "out": str(out)},
        [],
        [text("{n:,} {n:rule is|rules are} in {out}.", n=len(rules), out=out)],
    )


def _like_rules(written: str, out: Path | None) -> Answer:
    from vaglio.runtime.files import write_whole

    if out is None:
        return Answer({"text": written}, [written.rstrip("\n")], [], exact=True)
    write_whole(out, written)
    return Answer({"out": str(out)}, [], [text("The model as text is in {out}.", out=out)])
