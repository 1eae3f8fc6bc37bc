"""Names of files that are still being written, and the removal of those whose writer was killed.

Nothing can clean up after itself when it is killed. So the name of a file that is not finished says which process
writes it, and the next file that is written in the folder takes away those whose process is gone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import secrets
import sys
import time
from pathlib import Path

__all__ = ["remove_leftovers", "temporary_name"]

# A file name may have 255 bytes; this leaves room for the other parts even where a letter takes four bytes.
_LONGEST_NAME = 45
_NAME = re.compile(r"\..*\.vaglio-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}", re.DOTALL)
# Where the system cannot be asked for a process, a file this old has none.
_SECONDS = 24 * 3600


def temporary_name(final: Path) -> Path:
    """Return a new name, in the same folder, for a file that will be renamed.

    Parameters
    ----------
    final : Path
        The name it will get.
    """
    owner = f"{_machine()}-{os.getpid()}"
    return final.with_name(f".{final.name[:_LONGEST_NAME]}.vaglio-{owner}-{secrets.token_hex(6)}")


def remove_leftovers(folder: Path) -> None:
    """Remove files of this folder that a process of this machine did not finish and no longer can.

    Parameters
    ----------
    folder : Path
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            if found and found[1] == _machine() and entry.is_file(follow_symlinks=False) and _is_dead(entry, found[2]):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _is_dead(entry: os.DirEntry[str], process: str) -> bool:
    number = int(process)
    if sys.platform == "win32":
        # There os.kill ends a process instead of asking for it.
        return number != os.getpid() and time.time() - entry.stat().st_mtime > _SECONDS
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it lives and is another user's; or it is no number of a process
        return False
    return False


@functools.cache
def _machine() -> str:
    """A name for what numbers processes: another machine, or another container, has the same numbers for others."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]
