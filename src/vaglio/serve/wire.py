"""Rows and answers on the wire: JSON, CSV and Arrow streams. An answer has the form of its request."""

from __future__ import annotations

import io
from typing import Any

from vaglio.errors import ReadError
from vaglio.fitted import Fitted
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip, listed
from vaglio.serve.http.requests import Bounds, dump_json
from vaglio.serve.http.responses import refuse
from vaglio.serve.served import Answers, Served
from vaglio.table import Limits, Table, TableWriter, read

__all__ = ["ARROW", "CSV", "JSON", "answer_objects", "read_table", "table_answer", "unknown_media"]

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
_FORMATS = {CSV: "csv", ARROW: "feather"}

# Columns of a table that a model does not know are read, too: so many times its own, and some more.
_FURTHER_COLUMNS, _FEWEST_COLUMNS = 4, 64
# A compressed body of Arrow may become this many times as long.
_UNPACKED = 4


class _Body(io.BytesIO):
    """The name is how errors call it."""

    name = "The body"


def unknown_media(media: str, *supported: str) -> None:
    """Refuse a body whose Content-Type is not one of those supported; by default, of any that rows can have."""
    kinds = listed(supported or (JSON, CSV, ARROW), last="or")
    if not media:
        refuse(415, Message("no-content-type", "The request has no Content-Type. Set it to {kinds}.", kinds=kinds))
    refuse(
        415,
        Message(
            "unsupported-content-type",
            "The Content-Type {media!r} is not supported. Send {kinds}.",
            media=clip(media),
            kinds=kinds,
        ),
    )


def read_table(body: bytes, media: str, fitted: Fitted, bounds: Bounds) -> Table:
    """Return the rows of a CSV or Arrow body, its columns typed as the model knows them.

    Parameters
    ----------
    body : bytes
    media : str
        What it is.
    fitted : Fitted
    bounds : Bounds
    """
    columns = _FURTHER_COLUMNS * len(fitted.codebook.columns) + _FEWEST_COLUMNS
    limits = Limits(
        cells=bounds.rows * columns, columns=columns, cell_length=bounds.text, bytes=_UNPACKED * bounds.body
    )
    try:
        table = read(
            _Body(body),
            like=fitted.cell_formats,
            format=_FORMATS[media],
            header=True if media == CSV else None,
            limits=limits,
        )
    except ReadError as error:
        told = error.message
        if isinstance(told, Message) and told.code == "limit-exceeded":
            refuse(
                413,
                Message(
                    "limit-exceeded-in-body",
                    "{found}. Send fewer rows or columns at a time.",
                    found=told.values["found"],
                ),
            )
        refuse(400, told)
    check_rows(len(table), bounds)
    return table


def check_rows(rows: int, bounds: Bounds) -> None:
    """Refuse more rows than one request may have."""
    if rows > bounds.rows:
        refuse(
            413,
            Message(
                "too-many-rows",
                "The request has {n:,} rows; at most {limit:,} are allowed. Send fewer rows at a time.",
                n=rows,
                limit=bounds.rows,
            ),
        )


def answer_objects(served: Served, answers: Answers) -> list[dict[str, Any]]:
    """Return one object per row, as single rows get it."""
    keys = served.keys
    objects: list[dict[str, Any]] = [{"predicted": label} for label in answers.labels]
    if served.interval is not None:
        for answer in objects:
            answer["interval"] = served.around(answer["predicted"])
    if keys is None or answers.probabilities is None:
        return objects
    for answer, chances in zip(objects, answers.probabilities):
        answer["probabilities"] = dict(zip(keys, chances))
    if answers.costs is not None and answers.likeliest is not None:
        for answer, costs, best in zip(objects, answers.costs, answers.likeliest):
            answer["likeliest"] = best
            answer["expected_costs"] = dict(zip(keys, costs))
    return objects


def table_answer(served: Served, answers: Answers, media: str) -> bytes:
    """Return the answers as the columns ``vaglio predict`` adds to a table; with costs, those of each class."""
    if media == JSON:
        return dump_json(answer_objects(served, answers))
    columns: dict[str, Any] = {"predicted": answers.labels}
    if served.interval is not None:
        columns |= {
            name: [number + end for number in answers.labels] for name, end in zip(("low", "high"), served.interval)
        }
    for prefix, values in (("p_", answers.probabilities), ("cost_", answers.costs)):
        if values is not None and served.keys is not None:
            columns |= {f"{prefix}{key}": list(column) for key, column in zip(served.keys, zip(*values))}
    if answers.likeliest is not None:
        columns["likeliest"] = answers.likeliest
    body = io.BytesIO()
    with TableWriter(body, "csv" if media == CSV else "stream") as sink:
        sink.write(columns)
    return body.getvalue()
