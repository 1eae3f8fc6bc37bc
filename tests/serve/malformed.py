"""Requests that are wrong in some way, made from random numbers: the same seed makes the same requests."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

# Method, path, headers, body.
Sent = tuple[str, str, dict[str, str], bytes]

GOOD = {
    "island": "Biscoe", "bill_length_mm": 40.5, "bill_depth_mm": 18.1, "flipper_length_mm": 190, "body_mass_g": 4000,
    "sex": "male", "year": 2008,
}  # fmt: skip
_NUMBERS = [name for name, value in GOOD.items() if not isinstance(value, str)]
_MEDIA = ["application/json", "text/csv", "application/vnd.apache.arrow.stream"]
_WRONG_MEDIA = [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "a/b/c",
    "\xe9",
]


def malformed(n: int, seed: int, paths: dict[str, Any]) -> Iterator[Sent]:
    """Yield requests that no server may answer with success.

    Parameters
    ----------
    n : int
    seed : int
    paths : dict
        Path -> function from a row, or rows, to the body it takes as JSON.
    """
    rng = random.Random(seed)
    for _ in range(n):
        path = rng.choice(list(paths))
        wrap = paths[path]
        make = rng.choice([_wrong_value, _cut, _noise, _deep, _no_number, _wrong_media, _wrong_shape, _huge, _lacking])
        yield make(rng, path, wrap)


def _request(path: str, body: bytes, media: str = "application/json") -> Sent:
    return "POST", path, {"content-type": media}, body


def _wrong_value(rng: random.Random, path: str, wrap: Any) -> Sent:
    name = rng.choice(_NUMBERS)
    value = rng.choice(["abc", [], [1], {}, {"a": 1}, "\ud800", "x" * 20_000, 10**400, [[[]]]])
    if path.startswith("/v2") and isinstance(value, list):  # a tensor may be written row by row
        value = "abc"
    rows = [dict(GOOD) for _ in range(rng.choice([1, 2, 40]))]
    rng.choice(rows)[name] = value
    return _request(path, json.dumps(wrap(rows)).encode())


def _lacking(rng: random.Random, path: str, wrap: Any) -> Sent:
    row = dict(GOOD)
    for name in rng.sample(list(row), rng.randint(1, len(row))):
        del row[name]
    return _request(path, json.dumps(wrap([row])).encode())


def _cut(rng: random.Random, path: str, wrap: Any) -> Sent:
    body = json.dumps(wrap([GOOD, GOOD])).encode()
    return _request(path, body[: rng.randrange(len(body))])


def _noise(rng: random.Random, path: str, wrap: Any) -> Sent:
    return _request(path, rng.randbytes(rng.randrange(300)), rng.choice(_MEDIA))


def _deep(rng: random.Random, path: str, wrap: Any) -> Sent:
    depth = rng.choice([20, 500, 20_000])
    return _request(
        path, rng.choice([b"[" * depth, b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth])
    )


def _no_number(rng: random.Random, path: str, wrap: Any) -> Sent:
    text = json.dumps(wrap([GOOD])).replace(
        "4000", rng.choice(["NaN", "Infinity", "-Infinity", "1e999", "01", "+1", "0x1"])
    )
    return _request(path, text.encode())


def _wrong_media(rng: random.Random, path: str, wrap: Any) -> Sent:
    return _request(path, json.dumps(wrap([GOOD])).encode(), rng.choice(_WRONG_MEDIA))


def _wrong_shape(rng: random.Random, path: str, wrap: Any) -> Sent:
    wrong = rng.choice([1, "a", True, None, [1], [None], [[]], {"rows": 1}, [{}], {}, [[1, 2]], {"inputs": 3}])
    return _request(path, json.dumps(wrong).encode())


def _huge(rng: random.Random, path: str, wrap: Any) -> Sent:
    text = json.dumps(wrap([GOOD])).replace("4000", "9" * rng.choice([400, 5000]))
    return _request(path, text.encode())
