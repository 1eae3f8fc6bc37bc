"""Command lines: every command with options and values drawn at random, on a small table and a small model."""

from __future__ import annotations

import importlib
import io
import json
import os
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

import vaglio
from tools.fuzz.mutate import FLOATS, INTEGERS, TEXTS
from tools.fuzz.target import Finding, Target, pick
from vaglio.cli._options import flat_parameters
from vaglio.cli.main import COMMANDS, main
from vaglio.learners.registry import LEARNERS

# Commands that train many models take seconds: they are tried less often.
SLOW = ("report", "compare", "select", "tune")
FILES = ("t.csv", "m.vaglio", "-", "nothing.csv", "out.json", "out.csv", "out.svg", "out.html", "folder", "", "t.csv/x")


class CommandLines(Target):
    """Words that follow ``vaglio`` on the command line, as a JSON list."""

    name = "options"
    suffix = ".json"

    def prepare(self) -> None:
        warnings.simplefilter("ignore")
        self.home = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        os.chdir(self.home)
        Path("folder").mkdir()
        Path("t.csv").write_text("a,b,c\n" + "".join(f"{i % 5},{'pq'[i % 2]},{'xy'[i % 3 > 0]}\n" for i in range(24)))
        table = vaglio.read("t.csv", "c")
        vaglio.C45Classifier().fit(*table.xy()).fitted_.with_provenance(target="c").save("m.vaglio")
        # A server answers until it is told to end.
        self.options = {command: _options_of(command) for command in COMMANDS if command != "serve"}
        self.kept = {name: Path(name).read_bytes() for name in ("t.csv", "m.vaglio")}

    def make(self, random: Random) -> bytes:
        command = pick(random, list(self.options))
        if command in SLOW and random.random() < 0.9:
            command = "inspect"
        words = [command]
        arguments, options = self.options[command]
        words += [_file_for(random, name) for name in arguments]
        for option, is_flag in random.sample(options, min(len(options), random.randrange(4))):
            words += [option] if is_flag else [option, _value(random, option)]
        return json.dumps(words).encode()

    def attempt(self, content: bytes) -> str:
        words = json.loads(content)
        # Rows are written as bytes: the stream needs a buffer, as the real one has.
        out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main(words)
        except SystemExit as ended:
            code = ended.code
        said = err.getvalue()
        if "defect of vaglio" in said or "Traceback" in said or code not in (0, 1, 2):
            raise Finding(f"{code}: {words}: {said[-500:]}")
        if any(Path(name).read_bytes() != before for name, before in self.kept.items()):
            raise Finding(f"an input was overwritten: {words}")
        return f"exit {code}"


def _options_of(command: str) -> tuple[list[str], list[tuple[str, bool]]]:
    run = importlib.import_module(f"vaglio.cli.commands.{command}").run
    arguments: list[str] = []
    options: list[tuple[str, bool]] = [("--json", True), ("-v", True), ("--force", True)]
    for parameter in flat_parameters(run):
        metadata = getattr(parameter.annotation, "__metadata__", None)
        if metadata is None:
            continue
        if type(metadata[0]).__name__ == "ArgumentInfo":
            arguments.append(parameter.name)
        else:
            named = metadata[0].param_decls or (f"--{parameter.name.replace('_', '-')}",)
            options.append((named[0], parameter.annotation.__origin__ is bool))
    return arguments, options


def _file_for(random: Random, name: str) -> str:
    if random.random() < 0.1:
        return str(pick(random, FILES))
    return "m.vaglio" if name.startswith("model") else "penguins" if name == "name" else "t.csv"


def _value(random: Random, option: str) -> str:
    texts: list[Any] = [text for text in TEXTS if "\0" not in text and len(text) < 1000]
    if option == "--learner":
        return str(pick(random, [*sorted(LEARNERS), "all", "x"]))
    if option == "--target":
        return str(pick(random, ["c", "a", "b", "-1", "0", "99", "z"]))
    if option in ("--out", "--test", "--cost", "--reference", "--model", "--clean"):
        return str(pick(random, FILES))
    known = ["a=1", "a=0..9", "b=p,q", "a=low<high", "max_depth=2", "max_depth=x", "3", "0.3", "1-9", "csv", "text"]
    return str(pick(random, pick(random, (texts, FLOATS, INTEGERS, known, known))))
