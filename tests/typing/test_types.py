"""What type checkers know of vaglio: one run of mypy and one of pyright over the files of a client.

``right_uses.py`` and ``wrong_uses.py`` are written by hand. Three more files are written here: one reveals the type of
every public name, one reads every documented attribute of every estimator, one gives every parameter of every
estimator values that its limits allow and values that they refuse.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from numbers import Integral
from pathlib import Path

import pytest
from sklearn.utils._param_validation import Interval, StrOptions, make_constraint
from tests.contracts.estimators import all_estimators

import vaglio
from vaglio.learners.parameters import entries_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WRONG = "  # wrong"
# Their types are scikit-learn's Bunch and pandas' DataFrame.
OF_UNTYPED_LIBRARIES = ("ccp_path_", "kernel_table_", "named_estimators_")


@dataclasses.dataclass(frozen=True)
class Remark:
    file: str
    line: int
    is_error: bool
    text: str


def _mypy(files: list[Path], folder: Path) -> list[Remark]:
    # The cache makes a second run a matter of a second: most of the first goes into the libraries that are imported.
    options = ["--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'client'}", "--no-pretty"]
    command = [sys.executable, "-m", "mypy", *options, *map(str, files)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = re.findall(r"^(.+?):(\d+): (error|note): (.*)$", done.stdout, re.MULTILINE)
    return [Remark(Path(file).name, int(line), kind == "error", text) for file, line, kind, text in lines]


def _pyright(files: list[Path], folder: Path) -> list[Remark]:
    settings = {"include": [str(file) for file in files], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(files)
    return [
        Remark(
            Path(each["file"]).name,
            each["range"]["start"]["line"] + 1,
            each["severity"] == "error",
            each["message"],
        )
        for each in found["generalDiagnostics"]
        if each["severity"] in ("error", "information")
    ]


def _of_names() -> list[str]:
    return [f"reveal_type(vaglio.{name})" for name in vaglio.__all__]


def _of_attributes() -> list[str]:
    lines = []
    for cls in map(type, all_estimators()):
        documented = entries_of(cls.__doc__, "Attributes")
        names = {name for heading in documented for name in heading.split(", ")}
        lines += [f"def of_{cls.__name__}(model: vaglio.{cls.__name__}) -> None:"]
        lines += [f"    reveal_type(model.{name})" for name in sorted(names)]
    return lines


def _of_parameters() -> list[str]:
    lines = []
    seen = set()
    for cls in map(type, all_estimators()):
        made = f"vaglio.{cls.__name__}"
        defaults = {name: each.default for name, each in inspect.signature(cls).parameters.items()}
        lines += [f"{made}({', '.join(f'{name}={default!r}' for name, default in defaults.items())})"]
        lines += [f"{made}(no_such_parameter=1){WRONG}"]
        for field in dataclasses.fields(cls):
            limits = cls._parameter_constraints.get(field.name, [])
            # Most parameters are inherited: each declaration is tried once.
            declared = (field.name, field.type, *map(str, limits))
            if field.init and declared not in seen:
                seen.add(declared)
                lines += [
                    f"{made}({field.name}={value!r})" + ("" if allowed else WRONG)
                    for value, allowed in _examples(limits)
                ]
    return lines


def _examples(limits: list[object]) -> Iterator[tuple[object, bool]]:
    """Give values of several types, and whether one of the limits allows them."""
    constraints = [make_constraint(limit) for limit in limits]
    words = [word for each in constraints if isinstance(each, StrOptions) for word in each.options - each.deprecated]
    for value in (None, "no such word", *sorted(words)):
        yield value, any(each.is_satisfied_by(value) for each in constraints)
    numbers = [each for each in constraints if isinstance(each, Interval)]
    if numbers and all(each.type is Integral for each in numbers):
        yield 2.5, False


@pytest.mark.slow
@pytest.mark.parametrize("checker", [_mypy, pytest.param(_pyright, marks=pytest.mark.nightly)], ids=["mypy", "pyright"])
def test_type_checkers_know_the_public_interface(
    checker: Callable[[list[Path], Path], list[Remark]], tmp_path: Path
) -> None:
    files = [HERE / "right_uses.py", HERE / "wrong_uses.py"]
    for name, lines in (("names", _of_names()), ("attributes", _of_attributes()), ("parameters", _of_parameters())):
        files.append(tmp_path / f"{name}.py")
        head = ["from typing import reveal_type", "import vaglio"]
        files[-1].write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    remarks = checker(files, tmp_path)

    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        wrong = {number for number, line in enumerate(lines, 1) if line.endswith(WRONG)}
        found = {each.line for each in remarks if each.file == file.name and each.is_error}
        assert [lines[number - 1] for number in sorted(wrong - found)] == [], "errors that are not found"
        unexpected = [each for each in remarks if each.file == file.name and each.is_error and each.line not in wrong]
        assert [(lines[each.line - 1], each.text) for each in unexpected] == [], "errors where there is none"

    for name, known_vague in (("names", ()), ("attributes", OF_UNTYPED_LIBRARIES)):
        lines = (tmp_path / f"{name}.py").read_text(encoding="utf-8").splitlines()
        revealed = {each.line: each.text for each in remarks if each.file == f"{name}.py" and "reveal" not in each.text}
        assert len(revealed) == sum("reveal_type(" in line for line in lines)
        vague = {lines[number - 1] for number, text in revealed.items() if re.search(r'is "(Any|Unknown)"', text)}
        assert [line for line in sorted(vague) if not line.endswith(tuple(f".{each})" for each in known_vague))] == []
