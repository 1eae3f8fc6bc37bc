"""The machine and the versions of a run: ratios are valid only for one machine and one set of versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("vaglio", "numpy", "scipy", "scikit-learn", "scikit-learn-intelex", "wittgenstein")


def describe_machine() -> list[tuple[str, str]]:
    """Return processor, memory, system and versions, as pairs."""
    return [
        ("processor", _processor()),
        ("CPUs allowed", str(len(os.sched_getaffinity(0)))),
        ("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", platform.python_version()),
        *((name, _version(name)) for name in PACKAGES),
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _version(name: str) -> str:
    if name == "vaglio":
        from vaglio import __version__

        return __version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
