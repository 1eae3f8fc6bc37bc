"""Whether a table fits in memory, judged by its file before it is read."""

from __future__ import annotations

from vaglio.cli._bundled import is_bundled


def memory_beyond(source: str) -> int:
    """Return the bytes that a table takes in memory, about, if there are not as many; else 0."""
    from vaglio.runtime.memory import usable_memory

    needed = _needed(source)
    return needed if needed > usable_memory() else 0


def refuse_beyond(source: str) -> None:
    """Refuse a table that does not fit in memory, for a command that needs it there."""
    from vaglio.errors import InputError

    needed = memory_beyond(source)
    if needed:
        raise InputError(
            f"{source} needs about {needed >> 30} GB in memory, more than there is: take some of its rows with "
            "--sample 100000; audit, explore, train, evaluate, compare, select and predict read it in parts."
        )


def _needed(source: str) -> int:
    """Return the bytes that a table takes in memory, about; 0 for what is no file."""
    from vaglio.table.scanned import bytes_in_memory

    return 0 if source == "-" or is_bundled(source) else bytes_in_memory(source)
