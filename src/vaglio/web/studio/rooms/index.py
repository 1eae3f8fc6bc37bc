"""The rooms by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from vaglio.web.studio.rooms.room import Room

if TYPE_CHECKING:
    from vaglio.web.studio.service import Studio

__all__ = ["make_rooms"]


def make_rooms(studio: Studio) -> dict[str, Room]:
    """Make every room: the class ``Page`` of the file with its name.

    Parameters
    ----------
    studio : Studio
    """
    from vaglio.web.studio.service import ROOMS

    return {name: import_module(f"vaglio.web.studio.rooms.{name}").Page(studio, name) for name in ROOMS}
