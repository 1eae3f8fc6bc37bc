"""Changes to arrays, to plain data and to bytes, each drawn at random."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.target import pick

Arrays = dict[str, np.ndarray]

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e-9, 1e9, 1e100, 1e154, 1e300, 1e308, 1.7e308, -1.7e308)
UNREAL = (float("nan"), float("inf"), float("-inf"))
INTEGERS = (0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 65535, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63)
TEXTS = (
    "",
    "a",
    "true",
    "1",
    "1e400",
    "\ud800",
    "a\udfffb",
    "\x1b[31mred",
    "\x00",
    "\u202eabc",
    "$x^{",
    "=1+1",
    "a'b\"c`d\\",
    "<script>",
    "{0.__class__}",
    "%s%n",
    "é" * 300,
    "x" * 70000,
)
DTYPES = (
    "O",
    "U",
    "<U1",
    "U99999",
    "b",
    "?",
    "i1",
    "u1",
    "<i8",
    ">i8",
    "f2",
    "<f8",
    "f,99999f",
    "9999f",
    "V9",
    "c16",
    "",
)


def change_plain(random: Random, data: Any) -> Any:
    """Return plain data (JSON) with one place changed."""
    path = _place(random, data)
    if not path:
        return plain_value(random)
    inside = data
    for key in path[:-1]:
        inside = inside[key]
    key = path[-1]
    how = random.randrange(10)
    if how == 0 and isinstance(inside, dict):
        del inside[key]
    elif how == 0:
        inside.pop(key)
    elif how == 1 and isinstance(inside, list):
        inside[key:key] = [inside[key]] * pick(random, (1, 2, 50))
    elif how == 2 and isinstance(inside, list):
        random.shuffle(inside)
    elif how == 3 and isinstance(inside, dict):
        inside[pick(random, TEXTS)] = inside.pop(key)
    elif how < 8 and isinstance(inside[key], (int, float)) and not isinstance(inside[key], bool):
        inside[key] = pick(random, FLOATS if random.random() < 0.5 else INTEGERS)
    elif how < 8 and isinstance(inside[key], str):
        inside[key] = pick(random, DTYPES if key == "dtype" else TEXTS)
    else:
        inside[key] = plain_value(random)
    return data


def plain_value(random: Random) -> Any:
    """Return something JSON can hold."""
    deep: Any = []
    for _ in range(pick(random, (1, 10, 300))):
        deep = [deep]
    choices: tuple[Any, ...] = (None, True, False, [], {}, deep, {"": deep}, 10**400, -(10**400), 1e400)
    return pick(random, pick(random, (FLOATS, INTEGERS, TEXTS, DTYPES, choices)))


class Spares:
    """What stands under each name in valid files: put elsewhere it has the right type, and may contradict the rest.

    Parameters
    ----------
    files : iterable of (arrays, plain data)
    """

    # Alike pieces beyond this number say nothing new.
    MOST = 60

    def __init__(self, files: Iterable[tuple[Arrays, Any]]) -> None:
        self.plain: dict[str, dict[str, Any]] = {}
        self.arrays: dict[str, list[np.ndarray]] = {}
        for arrays, data in files:
            self._collect("", data)
            for name, value in arrays.items():
                self.arrays.setdefault(_last(name), []).append(value)

    def _collect(self, name: str, data: Any) -> None:
        known = self.plain.setdefault(name, {})
        if len(known) < self.MOST:
            known[json.dumps(data)] = data
        for key, value in data.items() if isinstance(data, dict) else ():
            self._collect(key, value)
        for value in data if isinstance(data, list) else ():
            self._collect(f"{name}[]", value)

    def change_plain(self, random: Random, data: Any) -> Any:
        """Return plain data with one place changed into something of the same type."""
        path = _place(random, data)
        if not path:
            return data
        inside = data
        for key in path[:-1]:
            inside = inside[key]
        key = path[-1]
        if random.random() < 0.5:
            name = next((str(part) for part in reversed(path) if isinstance(part, str)), "")
            name += "[]" * next((i for i, part in enumerate(reversed(path)) if isinstance(part, str)), 0)
            known = list(self.plain.get(name, {}).values()) or [inside[key]]
            inside[key] = copy.deepcopy(pick(random, known))
        else:
            inside[key] = similar(random, inside[key])
        return data

    def change_array(self, random: Random, arrays: Arrays) -> None:
        """Put an array of the same name, of another file, in the place of one."""
        if arrays:
            name = pick(random, sorted(arrays))
            arrays[name] = pick(random, self.arrays[_last(name)])


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def similar(random: Random, value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + pick(random, (-1, 1, 1, 10)) if random.random() < 0.6 else pick(random, (0, 1, 2, -value))
    if isinstance(value, float):
        near = (np.nextafter(value, np.inf), value / 2, -value, 2e-308, 2.3e-308, 1e-160, 1e-16, 1 - 1e-16, 1e15)
        return float(pick(random, near))
    if isinstance(value, str):
        return pick(random, (f"{value}x", value[:-1], value.upper(), f" {value}", "true", "0", "1.0", "-"))
    if isinstance(value, list):
        changed = pick(random, ([], value[:-1], value[1:], [*value, *value[-1:]], value[::-1], value[:1]))
        return copy.deepcopy(changed)
    if isinstance(value, dict):
        return {key: part for key, part in value.items() if random.random() < 0.7}
    return pick(random, (0, 0.0, "", False, [], {}))


def _place(random: Random, data: Any) -> list[Any]:
    path: list[Any] = []
    while isinstance(data, (dict, list)) and data:
        # Stopping early changes a whole branch.
        if path and random.random() < 0.15:
            break
        key = pick(random, sorted(data)) if isinstance(data, dict) else random.randrange(len(data))
        path.append(key)
        data = data[key]
    return path


def change_array(random: Random, arrays: Arrays) -> None:
    """Change one of the arrays."""
    if not arrays:
        return
    name = pick(random, sorted(arrays))
    value = arrays[name]
    how = random.randrange(20)
    if how == 0:
        del arrays[name]
    elif how == 1:
        other = pick(random, sorted(arrays))
        arrays[name], arrays[other] = arrays[other], value
    elif how == 2:
        arrays[name] = value.astype(pick(random, ("u1", "i4", "i8", "u4", "f4", "f8", "?")), casting="unsafe")
    elif how == 3:
        arrays[name] = value[: random.randrange(len(value) + 1)] if value.ndim else value
    elif how == 4:
        arrays[name] = np.concatenate([value, value]) if value.ndim else value
    elif how == 5:
        arrays[name] = value.reshape(pick(random, ((-1,), (-1, 1), (1, -1))))
    elif how == 6 and value.size:
        arrays[name] = np.full_like(value, _extreme(random, value))
    elif how == 7 and value.size:
        arrays[name] = np.ascontiguousarray(value[::-1])
    elif value.size:
        changed = np.array(value, order="C")
        flat = changed.reshape(-1)
        for _ in range(pick(random, (1, 1, 2, 5))):
            at = random.randrange(flat.size)
            flat[at] = flat[random.randrange(flat.size)] if random.random() < 0.3 else _extreme(random, flat)
        arrays[name] = changed


def _extreme(random: Random, like: np.ndarray) -> Any:
    if like.dtype.kind == "f":
        value = pick(random, FLOATS * 3 + UNREAL)
        return value * pick(random, (1.0, -1.0)) if random.random() < 0.3 else value
    if like.dtype.kind == "b":
        return random.random() < 0.5
    bounds = np.iinfo(like.dtype)
    wanted = pick(random, (*INTEGERS, like.size, like.size - 1, int(like.reshape(-1)[0]) + 1, bounds.max, bounds.min))
    return max(bounds.min, min(bounds.max, wanted))


def change_bytes(random: Random, content: bytes) -> bytes:
    """Return bytes with some flipped, left out, doubled or moved."""
    changed = bytearray(content)
    for _ in range(pick(random, (1, 1, 2, 8))):
        if not changed:
            break
        at, length = random.randrange(len(changed)), pick(random, (1, 1, 2, 4, 8, 64))
        how = random.randrange(5)
        if how == 0:
            changed[at] ^= 1 << random.randrange(8)
        elif how == 1:
            changed[at : at + length] = bytes([pick(random, (0, 1, 0x7F, 0x80, 0xFF))]) * length
        elif how == 2:
            del changed[at : at + length]
        elif how == 3:
            changed[at:at] = changed[at : at + length]
        else:
            changed[at:at] = random.randbytes(length)
    return bytes(changed)
