"""Time of `vaglio --help`, compared with the --help of a typer program with two commands."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from importlib.metadata import version
from pathlib import Path

from benchmarks.runner import OURS, Row, measure

_TWO_COMMANDS = '''
import typer
app = typer.Typer()

@app.command()
def greet(name: str):
    """Say hello."""

@app.command()
def leave(name: str, formal: bool = False):
    """Say goodbye."""

app()
'''


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "two_commands.py"
        script.write_text(_TWO_COMMANDS)
        peer = f"typer {version('typer')}, two commands"
        commands = {OURS: [sys.executable, "-m", "vaglio"], peer: [sys.executable, str(script)]}
        return [
            Row("--help", who, 1, measure(partial(_call, command), repeats=9)[0]) for who, command in commands.items()
        ]


def _call(command: list[str]) -> None:
    subprocess.run([*command, "--help"], check=True, stdout=subprocess.DEVNULL)
