"""Print the lowest versions of the libraries that ``pyproject.toml`` allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))

if __name__ == "__main__":
    for requirement in PROJECT["project"]["dependencies"]:
        found = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", requirement)
        if found is None:
            raise SystemExit(f"{requirement!r} has no lowest version")
        print(f"{found[1]}=={found[2]}")
