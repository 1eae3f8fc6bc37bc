"""The rooms by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from vaglio.studio.rooms.room import Room

if TYPE_CHECKING:
    from vaglio.studio.service import Studio

__all__ = ["make_rooms"]


def make_rooms(studio: Studio) -> dict[str, Room]:
    """Make every room: the class ``Page`` of the file with its name.

    Parameters
    ----------
    studio : Studio
    """
    from vaglio.studio.service import ROOMS

    return {name: import_module(f"vaglio.studio.rooms.{name}").Page(studio, name) for name in ROOMS}
