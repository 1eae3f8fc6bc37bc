"""A model file taken apart, changed, and sealed with a right checksum."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from tools.fuzz.model_files import sealed

from vaglio.fitted import Fitted
from vaglio.fitted.file import _open, from_bytes, to_bytes

Change = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


def changed(model: Fitted, change: Change) -> bytes:
    """Return the file of a model after a change to its description and its arrays."""
    body, arrays = _open(to_bytes(model))
    arrays = {name: value.copy() for name, value in arrays.items()}
    change(body, arrays)
    return sealed(arrays, json.dumps(body))


def reloaded(model: Fitted, change: Change) -> Fitted:
    return from_bytes(changed(model, change))
