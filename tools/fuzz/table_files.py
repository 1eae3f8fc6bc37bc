"""Tables in files: a small valid one of each format is changed and read.

A format is one :class:`Format` in :data:`FORMATS`. A new one gives its suffix, its seeds, and the changes that know its
structure; changes of single bytes are made to every format.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import vaglio
from tools.fuzz.mutate import TEXTS, change_bytes
from tools.fuzz.target import Target, pick
from vaglio.errors import VaglioError

Change = Callable[[Random, bytes], bytes]


@dataclass(frozen=True)
class Format:
    """A format of tables.

    Attributes
    ----------
    suffix : str
        Of the file.
    seeds : function
        Returns the contents of small valid files.
    changes : sequence of functions
        Each makes one change that bytes alone would hardly hit upon.
    """

    suffix: str
    seeds: Callable[[], list[bytes]]
    changes: Sequence[Change] = ()


FORMATS: dict[str, Format] = {}


def add_format(form: Format) -> None:
    """Make a format known to the target ``tables``."""
    FORMATS[form.suffix] = form


class TableFiles(Target):
    """Files of every format that is known, changed and read."""

    name = "tables"
    suffix = ".table"

    def prepare(self) -> None:
        warnings.simplefilter("ignore")
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.seeds = [(form, seed) for form in FORMATS.values() for seed in form.seeds()]
        for form, seed in self.seeds:
            self.attempt(form.suffix.encode() + b"\n" + seed)

    def make(self, random: Random) -> bytes:
        form, content = pick(random, self.seeds)
        for _ in range(pick(random, (1, 1, 2, 4))):
            change = pick(random, (change_bytes, *form.changes))
            content = change(random, content)
        return bytes(form.suffix.encode() + b"\n" + content)

    def attempt(self, content: bytes) -> str:
        # The first line names the format: an input is one sequence of bytes.
        suffix, _, table = content.partition(b"\n")
        path = self.folder / f"t{os.getpid()}{suffix.decode()}"
        path.write_bytes(table)
        try:
            read = vaglio.read(path)
            repr(read).encode(errors="backslashreplace")
            read.to_frame()
        except VaglioError as error:
            str(error).encode(errors="backslashreplace")
            return "refused"
        finally:
            path.unlink()
        return "read"


# -- CSV ---------------------------------------------------------------------------------------------------------------
def _csv_seeds() -> list[bytes]:
    rows = [b"1,2.5,red,2020-01-02", b'2,,"a ""word"", and more",2021-03-04', b"3,-1e5,blue,", b"4,0,red,2022-12-31"]
    return [
        b"id,size,colour,day\n" + b"\n".join(rows) + b"\n",
        b"a;b\r\n1,5;x\r\n2,5;y\r\n",
        b"\xef\xbb\xbfa\tb\n1\t2\n",
    ]


def _change_field(random: Random, content: bytes) -> bytes:
    separator: bytes = pick(random, (b",", b";", b"\t", b"\n"))
    fields = content.split(separator)
    value = pick(random, (*TEXTS, "1e308", "-1e308", "1e999", "nan", "inf", "0x10", '"', '""', "1_000", "2020-13-45"))
    fields[random.randrange(len(fields))] = value.encode(errors="surrogatepass")
    return separator.join(fields)


def _change_separators(random: Random, content: bytes) -> bytes:
    old, new = (pick(random, (b",", b";", b"\t", b"\n", b'"', b"\r", b"\r\n")) for _ in range(2))
    return bytes(content.replace(old, new, pick(random, (1, -1))))


def _repeat_lines(random: Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    at = random.randrange(len(lines))
    return b"".join([*lines[:at], lines[at] * pick(random, (2, 100, 3000)), *lines[at:]])


add_format(Format(".csv", _csv_seeds, (_change_field, _change_separators, _repeat_lines)))
