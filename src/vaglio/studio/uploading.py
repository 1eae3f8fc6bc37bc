"""A file that comes as the body of a request, written to disk as it arrives."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NoReturn

from starlette.requests import Request

from vaglio.serve.http.problems import refuse

__all__ = ["receive_file"]

# Seconds without a byte after which an upload is given up.
_PATIENCE = 30.0


async def receive_file(request: Request, place: Path, most: int) -> None:
    """Write the body of a request to a file; of one that is too long or breaks off nothing is left.

    Parameters
    ----------
    request : Request
    place : Path
        Where; nothing is there yet.
    most : int
        Bytes.
    """
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > most:
        _too_long(most)
    aside = place.with_name(place.name + ".part")
    try:
        with aside.open("xb") as file:
            written = 0
            stream = request.stream().__aiter__()
            while True:
                part = await asyncio.wait_for(anext(stream, None), _PATIENCE)
                if part is None:
                    break
                written += len(part)
                if written > most:
                    _too_long(most)
                file.write(part)
        aside.replace(place)
    except FileExistsError:
        refuse(409, "Another upload has this name: wait for it, or rename the file.")
    except TimeoutError:
        aside.unlink(missing_ok=True)
        refuse(408, f"No byte of the file came for {_PATIENCE:g} seconds: send it again.", Connection="close")
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _too_long(most: int) -> NoReturn:
    refuse(
        413,
        f"The file is larger than {most / (1 << 20):,.0f} MB: start the studio with --max-upload.",
        Connection="close",
    )
