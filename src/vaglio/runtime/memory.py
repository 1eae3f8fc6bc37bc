"""How much memory this process may use, as far as the system tells."""

from __future__ import annotations

import contextlib
import ctypes
import os
from functools import cache
from pathlib import Path

__all__ = ["give_back_memory", "resident_memory", "usable_memory"]

# Assumed where the system does not tell.
_USUAL = 8 << 30
# Where a container says how much memory its processes may use together (version 2, then version 1 of control groups).
_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def usable_memory() -> int:
    """Return the bytes of memory of the machine, or of the container or the limit of the process if these are less."""
    return min([_machine(), *filter(None, (_process(), _container()))])


def resident_memory() -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def give_back_memory() -> None:
    """Let the system have what this process has freed, where the C library can: it keeps it for itself otherwise."""
    with contextlib.suppress(OSError, TypeError, AttributeError):  # no such library, or no such function
        ctypes.CDLL(None).malloc_trim(0)


def _machine() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such call on Windows
        return _USUAL


def _process() -> int:
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return 0 if most == resource.RLIM_INFINITY else most


@cache
def _container() -> int:
    for place in _GROUPS:
        try:
            return int(Path(place).read_text())
        except (OSError, ValueError):  # no such file, or the word "max"
            continue
    return 0
