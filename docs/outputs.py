"""Runs the examples on the pages, and on request writes their current output into the pages.

``python docs/outputs.py PAGE …`` compares, ``python docs/outputs.py --write PAGE …`` corrects. Three kinds of blocks
are run, in order; all blocks of a page share one session and one empty folder:

- ``pycon``: lines after ``>>>`` are Python, the lines below are their output;
- ``python``: runs, and its output is ignored;
- ``console``: lines after ``$ vaglio`` are commands, the lines below are their standard output.

A "…" in the shown output stands for any text.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(pycon|python|console)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PROMPTS = {"pycon": ">>> ", "console": "$ "}


def steps(text: str, prompt: str) -> list[tuple[str, str]]:
    """Split a block into what is typed and what is shown after it."""
    found: list[tuple[list[str], list[str]]] = []
    for line in text.splitlines():
        if line.startswith(prompt):
            found.append(([line.removeprefix(prompt)], []))
        elif line.startswith("... ") and not found[-1][1]:
            found[-1][0].append(line.removeprefix("... "))
        else:
            found[-1][1].append(line)
    return [("\n".join(typed), "\n".join(shown)) for typed, shown in found]


def agrees(shown: str, printed: str) -> bool:
    """Return whether the shown output matches the real one: "…" matches any text, and spaces may differ."""
    words = [r"\s+".join(re.escape(word) for word in part.split()) for part in shown.split("…")]
    return re.fullmatch(r"\s*.*?\s*".join(words), printed.strip(), flags=re.DOTALL) is not None


def run_python(source: str, names: dict[str, Any]) -> str:
    """Run statements as the interpreter would, and return what they print."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<page>", "single"), names)
        except Exception as error:  # noqa: BLE001 - pages show errors too
            out.write(f"{type(error).__name__}: {error}\n")
    return out.getvalue()


def run_command(command: str) -> str:
    """Run the program in this process, and return its standard output."""
    from vaglio.cli.main import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    words = shlex.split(command, comments=True)
    if words[0] != "vaglio":
        raise ValueError(f"a page may run nothing but vaglio: {command}")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words[1:])
        except SystemExit as left:
            if left.code:
                raise RuntimeError(f"{command}: {err.getvalue()}") from None
    out.flush()
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def run_page(text: str) -> tuple[str, list[str]]:
    """Run a page in the current folder; return the corrected page and a list of the differences."""
    names: dict[str, Any] = {"__name__": "__main__"}
    wrong: list[str] = []

    def renew(match: re.Match[str]) -> str:
        kind, body = match.groups()
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(body, "<page>", "exec"), names)
            return match.group()
        lines = [f"```{kind}"]
        for typed, shown in steps(body, PROMPTS[kind]):
            printed = run_python(typed, names) if kind == "pycon" else run_command(typed)
            if not agrees(shown, printed):
                wrong.append(f"{typed}\nshown:\n{shown}\nprinted:\n{printed}")
                shown = printed.rstrip()
            lines += [PROMPTS[kind] + typed.replace("\n", "\n... "), *([shown.rstrip()] if shown.strip() else [])]
        return "\n".join([*lines, "```"])

    return BLOCK.sub(renew, text), wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write what is printed into the pages")
    arguments = parser.parse_args()
    failed = 0
    for page in (path.resolve() for path in arguments.pages):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text, wrong = run_page(page.read_text(encoding="utf-8"))
        if arguments.write:
            page.write_text(text, encoding="utf-8")
        elif wrong:
            print(f"{os.path.relpath(page)}:", *wrong, sep="\n")
        failed += len(wrong)
    return int(failed > 0 and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
