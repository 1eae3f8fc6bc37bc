"""What was computed for a page, kept for the next one: bounded, and the same for all rooms."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

__all__ = ["Remembered"]

T = TypeVar("T")


class Remembered:
    """The last results, by what they depend on.

    Parameters
    ----------
    most : int, default=64
        Results that are kept; the one that was not asked for longest goes first.

    Attributes
    ----------
    computed : int
        How often something had to be computed.

    Examples
    --------
    >>> known = Remembered(2)
    >>> known.get("a", lambda: 1), known.get("a", lambda: 2)
    (1, 1)
    >>> known.computed
    1
    """

    def __init__(self, most: int = 64) -> None:
        self.most, self.computed = most, 0
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what is known, or compute it.

        Parameters
        ----------
        key : hashable
            Everything that the result depends on.
        compute : callable
        """
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return cast(T, self._known[key])
        # Outside the lock: two pages that ask for the same at once both compute it, and none waits for another.
        found = compute()
        with self._lock:
            self.computed += 1
            self._known[key] = found
            while len(self._known) > self.most:
                self._known.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._known)
