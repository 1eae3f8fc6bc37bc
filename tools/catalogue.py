"""``python tools/catalogue.py it.po it.mo``: compile a catalogue of messages as the standard library reads it.

Babel's own command also compares formats of Python's ``%``. No template has one, but "95% interval" looks like one, as
does its translation. The build runs this file with nothing installed but Babel, so it imports nothing else.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compiled(path: Path) -> bytes:
    """Return what a catalogue becomes."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.stem)
    written = io.BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


if __name__ == "__main__":
    source, place = map(Path, sys.argv[1:])
    place.write_bytes(compiled(source))
