"""The model file: safetensors arrays and one JSON text, with a checksum. No code is stored, none is run.

Layout: the arrays of the model under their names, and in the header's metadata one entry ``vaglio``: a JSON object
with ``format`` (an integer), ``checksum`` (SHA-256 over the arrays and the body) and ``body`` (a JSON text: codebook,
classes, learner, parameters, provenance, the model's own plain data and, where there are any, costs and calibration).
One metadata entry only, because the order of several is not fixed: the same model gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as dump_arrays

from vaglio._version import __version__
from vaglio.encode import Codebook
from vaglio.errors import (
    InputError,
    ModelFileError,
    NotSupportedError,
    VaglioError,
    damaged_model_file,
    reason_of,
)
from vaglio.messages.message import text
from vaglio.messages.stored import restored_within, stored
from vaglio.model.base import plain_label
from vaglio.model.calibration import Calibration
from vaglio.model.checks import need
from vaglio.model.costs import CostMatrix
from vaglio.model.families import KINDS, model_class, read_model
from vaglio.runtime.arguments import checked
from vaglio.runtime.files import write_whole

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

# Levels of lists and dicts in the description: the members of an ensemble need nine.
_DEEPEST = 32
# Types of class labels that a file may name: an array of records, say, could be made to take any amount of memory.
_LABEL_TYPE = re.compile(r"[<>|=]?(O|U\d{0,9}|b1|\?|[iu][1248]|f[248])")

# Counted up when a file could no longer be read by the version before; files of every lower number are still read.
FORMAT = 3
_NO_SPARSE = text("its kind of model takes no sparse matrices")
# What files say that need less of it: a version that does not know costs, or calibration, would ignore them.
_WITHOUT_COSTS, _WITHOUT_CALIBRATION = 1, 2


def save(fitted: Fitted, path: str | os.PathLike[str]) -> None:
    """Write the file beside its place, then rename it there: an interrupt leaves nothing half-written."""
    content = to_bytes(fitted)
    try:
        from_bytes(content)
    except ModelFileError as error:
        raise NotSupportedError(
            "model-not-loadable",
            "This model cannot be saved, because its file could not be loaded again. {problem}",
            problem=error.message,
        ) from error
    write_whole(path, content, "model")


def to_bytes(fitted: Fitted, version: str = __version__) -> bytes:
    """Return the content of the model file, written by this version of vaglio."""
    arrays, meta = fitted.model.state()
    arrays = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    body = _body(fitted, meta, version)
    envelope = {"format": _format_of(fitted), "checksum": _checksum(arrays, body), "body": body}
    return dump_arrays(arrays, metadata={"vaglio": json.dumps(envelope, sort_keys=True)})


def _format_of(fitted: Fitted) -> int:
    if fitted.calibration is not None:
        return FORMAT
    return _WITHOUT_COSTS if fitted.cost is None else _WITHOUT_CALIBRATION


def _body(fitted: Fitted, meta: dict[str, Any], version: str) -> str:
    body = {
        "version": version,
        "kind": fitted.model.kind,
        "learner": fitted.learner,
        "params": fitted.params,
        "provenance": stored(fitted.provenance),
        "codebook": fitted.codebook.to_state(),
        "classes": None if fitted.classes is None else _classes_state(fitted.classes),
        "model": meta,
    }
    if fitted.cost is not None:
        costs: dict[str, Any] = {"matrix": fitted.cost.matrix.tolist(), "decide": fitted.decide}
        if fitted.cost.limit is not None:
            label, threshold = fitted.cost.limit
            costs |= {"threshold": threshold, "class": list(fitted.cost.labels).index(label)}
        body["cost"] = costs
    if fitted.calibration is not None:
        body["calibration"] = fitted.calibration.state()
    try:
        written = json.dumps(body, sort_keys=True, allow_nan=False, default=_plain)
        _parsed(written)  # what could not be loaded again is not saved
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise NotSupportedError(
            "model-not-data", "This model cannot be saved as data: {reason}.", reason=reason_of(error)
        ) from error
    return written


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(text("{value} is not plain data", value=repr(value)))


@checked
def load(path: str | os.PathLike[str]) -> Fitted:
    """Read a model file.

    Every index and size in the file is checked before use; a damaged or hostile file is refused with
    :class:`~vaglio.errors.ModelFileError`.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Fitted

    Examples
    --------
    >>> import tempfile, vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vaglio.C45Classifier().fit(X, y).save(f"{folder}/play.vaglio")
    ...     model = vaglio.load(f"{folder}/play.vaglio")
    >>> model.learner
    'c45'
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            "model-not-readable", "{path} cannot be read: {reason}.", path=path, reason=error.strerror
        ) from error
    try:
        return from_bytes(content)
    except ModelFileError as error:
        raise error.at(str(path)) from error


def from_bytes(content: bytes) -> Fitted:
    """Build a Fitted from the content of a model file."""
    from vaglio.fitted.fitted import Fitted

    body, arrays = _open(content)
    codebook = Codebook.from_state(body.get("codebook"))
    classes = _classes_from(body.get("classes"))
    learner: Any = body.get("learner")
    params: Any = body.get("params")
    provenance: Any = body.get("provenance")
    need(isinstance(learner, str), "it does not name its learner")
    need(isinstance(params, dict) and isinstance(provenance, dict), "its parameters are not readable")
    try:
        provenance = restored_within(provenance)
    except ValueError as error:
        raise damaged_model_file(reason_of(error)) from error
    need(isinstance(provenance, dict), "its parameters are not readable")
    meta: Any = body.get("model")
    need(isinstance(meta, dict), "the description of the model is missing")
    kind: Any = body.get("kind")
    model_class(kind)  # refuses what no family lists
    need(not codebook.sparse or KINDS[kind].sparse, _NO_SPARSE)
    try:
        model = read_model(kind, arrays, meta, codebook.features, 0 if classes is None else len(classes))
    except (
        ArithmeticError,
        IndexError,
        KeyError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        if isinstance(error, ModelFileError):
            raise
        if isinstance(error, VaglioError):
            raise ModelFileError(
                "damaged-model-file-because", "The model file is damaged. {problem}", problem=error.message
            ) from error
        raise damaged_model_file(reason_of(error).removesuffix(".")) from error
    encoder = getattr(model, "encoder", None)
    need(not codebook.sparse or encoder is None or encoder.as_is, _NO_SPARSE)
    cost, decide = _cost_from(body.get("cost"), classes)
    known = body.get("calibration")
    calibration = None if known is None else Calibration.from_state(known)
    fitted = Fitted(codebook, model, classes, learner, params, provenance, cost, decide, calibration)
    need(calibration is None or fitted.has_probabilities, "it is calibrated but has no probabilities")
    need(fitted.decision_cost is None or fitted.has_probabilities, "it decides by costs but has no probabilities")
    return fitted


def _open(content: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Unpack the file and compare the checksum."""
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        envelope = json.loads(header["__metadata__"]["vaglio"])
        arrays = load_arrays(content)
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ModelFileError(
            "not-a-model-file", "This is not a vaglio model file, or its header is damaged."
        ) from error
    need(isinstance(envelope, dict), "its header is not readable")
    version = envelope.get("format")
    need(
        isinstance(version, int) and not isinstance(version, bool) and version >= 1,
        "it has no format version",
    )
    if version > FORMAT:
        raise ModelFileError(
            "later-file-format",
            "The model file has format {found}, but this version of vaglio reads up to format {known}. Upgrade vaglio.",
            found=version,
            known=FORMAT,
        )
    body = envelope.get("body")
    need(isinstance(body, str), "its description is missing")
    try:
        fits = envelope.get("checksum") == _checksum(arrays, body)
    except UnicodeEncodeError as error:
        raise damaged_model_file(text("its description is not readable")) from error
    need(fits, "the checksum does not match its content")
    try:
        parsed = _parsed(body)
    except (ValueError, RecursionError, OverflowError) as error:
        raise damaged_model_file(text("its description is not readable")) from error
    need(isinstance(parsed, dict), "its description is not readable")
    return parsed, arrays


def _parsed(body: str) -> Any:
    """Return what a JSON text says; texts, numbers and depth that nothing else could deal with are an error."""
    parsed = json.loads(body, parse_constant=_number, parse_float=_number, parse_int=_whole_number)
    if "\\ud" in body.lower():
        # Half of a surrogate pair can be loaded, but neither printed nor saved.
        json.dumps(parsed, ensure_ascii=False).encode()
    if _is_deep(parsed, _DEEPEST):
        raise ValueError(text("it is nested too deeply"))
    return parsed


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(text("{number} is not a finite number", number=digits))
    return value


def _whole_number(digits: str) -> int:
    value = int(digits)
    float(value)  # beyond all floats a number cannot be compared with the others, or formatted
    return value


def _is_deep(data: object, levels: int) -> bool:
    """Return whether lists and dicts stand inside each other on more levels than these."""
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return bool(inside) and (levels == 0 or any(_is_deep(part, levels - 1) for part in inside))


def _checksum(arrays: dict[str, np.ndarray], body: str) -> str:
    digest = hashlib.sha256(body.encode())
    for name in sorted(arrays):
        value = arrays[name]
        digest.update(f"\n{name} {value.dtype.str} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).data)
    return digest.hexdigest()


def _classes_state(classes: np.ndarray) -> dict[str, Any]:
    labels = [plain_label(label) for label in classes]
    for label in labels:
        if not isinstance(label, (str, bool, int, float)):
            raise NotSupportedError(
                "class-not-savable",
                "This model cannot be saved: its class {label!r} is neither text nor a number. Convert the labels "
                "first.",
                label=label,
            )
    return {"dtype": classes.dtype.str, "labels": labels}


def _cost_from(state: Any, classes: np.ndarray | None) -> tuple[CostMatrix | None, str]:
    if state is None:
        return None, "cost"
    need(isinstance(state, dict) and classes is not None, "its costs are not readable")
    assert classes is not None
    matrix, decide, k = state.get("matrix"), state.get("decide"), len(classes)
    need(decide in ("cost", "argmax"), "it does not say how it decides")
    square = isinstance(matrix, list) and len(matrix) == k and all(isinstance(r, list) and len(r) == k for r in matrix)
    need(square, "its costs do not fit its classes")
    numbers = (value for line in matrix for value in line)
    need(all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in numbers), "a cost is not a number")
    labels, limit = classes.tolist(), state.get("threshold")
    try:
        given = CostMatrix(np.array(matrix, dtype=np.float64), tuple(labels))
        if limit is None:
            return given, str(decide)
        positive = state.get("class")
        need(type(limit) is float and type(positive) is int and 0 <= positive < k, "its threshold is not valid")
        known = CostMatrix.of_threshold(limit, labels[positive], labels=labels)
        need(bool((known.matrix == given.matrix).all()), "its threshold does not fit its costs")
        return known, str(decide)
    except (InputError, OverflowError) as error:
        raise damaged_model_file(text("its costs are not valid")) from error


def _classes_from(state: Any) -> np.ndarray | None:
    if state is None:
        return None
    need(isinstance(state, dict) and isinstance(state.get("labels"), list), "the classes are not readable")
    labels, dtype = state["labels"], state.get("dtype")
    need(0 < len(labels) <= 1 << 24, "the number of classes is impossible")
    need(all(isinstance(label, (str, bool, int, float)) for label in labels), "the classes are not readable")
    need(isinstance(dtype, str) and _LABEL_TYPE.fullmatch(dtype), "the classes have no type")
    try:
        kind = np.dtype(dtype)
        # The width of a text type comes from the labels: a huge one in the file must not allocate.
        classes = np.array(labels, dtype=str if kind.kind == "U" else kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged_model_file(text("the classes do not fit their type")) from error
    # Also of labels that another type makes alike: 0.4 and 0.6 as integers.
    given = [(type(label), label) for label in classes.tolist()]
    need(given == [(type(label), label) for label in labels], "the classes do not fit their type")
    need(len(set(labels)) == len(labels), "a class is listed twice")
    return classes
