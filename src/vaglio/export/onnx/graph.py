"""A graph under construction: operations are written like function calls, each result has a name of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from vaglio.errors import MissingDependencyError
from vaglio.runtime.installed import install_command

__all__ = ["Graph", "onnx_module"]

# The lowest versions that have what the graphs use: trees in float64 with sets of categories (ai.onnx.ml 5).
OPSET, ML_OPSET, IR_VERSION = 21, 5, 10


def onnx_module() -> Any:
    """Return the package onnx, or say how to get it."""
    try:
        import onnx
    except ImportError:
        raise MissingDependencyError(
            "onnx-not-installed",
            "ONNX needs the package onnx. Install it with {install}.",
            install=install_command("onnx"),
        ) from None
    return onnx


class Graph:
    """Nodes and constants of a graph.

    Parameters
    ----------
    taken : list of str
        Names of inputs and outputs, which no result may have.
    """

    def __init__(self, taken: list[str]) -> None:
        self.onnx = onnx_module()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in taken):
            self.prefix += "_"
        self._known: dict[tuple[Any, ...], str] = {}

    def name(self) -> str:
        return f"{self.prefix}{len(self.nodes) + len(self.constants)}"

    def constant(self, value: object) -> str:
        """Return the name of a constant: float64, int64, bool or text; equal ones are kept once."""
        array = np.asarray(value)
        array = array.astype(
            np.float64 if array.dtype.kind == "f" else np.int64 if array.dtype.kind in "iu" else array.dtype
        )
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = self.name()
            self.constants.append(self.onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def __call__(self, operation: str, *inputs: Any, outputs: int = 1, domain: str = "", **options: Any) -> Any:
        """Add a node; what is no name becomes a constant. Returns the name of its result, or of several."""
        given = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        start = self.name()
        names = [start] if outputs == 1 else [f"{start}.{i}" for i in range(outputs)]
        self.nodes.append(self.onnx.helper.make_node(operation, given, names, domain=domain, **options))
        return names[0] if outputs == 1 else names

    def trees(self, x: str, **options: Any) -> str:
        """Add an ensemble of trees over a matrix."""
        found: str = self("TreeEnsemble", x, domain="ai.onnx.ml", **options)
        return found

    def tensor(self, values: object, dtype: DTypeLike) -> Any:
        """Return an array as an option of a node."""
        return self.onnx.numpy_helper.from_array(np.asarray(values, dtype=dtype))

    def number(self, truth: str) -> str:
        """Return true and false as 1.0 and 0.0."""
        found: str = self("Cast", truth, to=self.onnx.TensorProto.DOUBLE)
        return found

    def whole(self, numbers: str) -> str:
        found: str = self("Cast", numbers, to=self.onnx.TensorProto.INT64)
        return found

    def columns(self, x: str, which: Any) -> str:
        """Return chosen columns of a matrix."""
        found: str = self("Gather", x, np.asarray(which, dtype=np.int64), axis=1)
        return found

    def total(self, x: str, axis: int = 1, keep: int = 1) -> str:
        found: str = self("ReduceSum", x, np.array([axis]), keepdims=keep)
        return found

    def share(self, x: str) -> str:
        """Return rows divided by their sums."""
        found: str = self("Div", x, self.total(x))
        return found

    def one_hot(self, codes: str, count: int) -> str:
        """Return codes (n,) as rows of 0.0 and 1.0."""
        same = self("Equal", self("Unsqueeze", codes, np.array([1])), np.arange(count)[None])
        return self.number(same)

    def either(self, mask: np.ndarray, first: str, second: str) -> str:
        """Return truth values as 1.0 and 0.0: of the first where the mask says so, else of the second."""
        found: str = self("Where", mask, self.number(first), self.number(second))
        return found

    def first_largest(self, x: str) -> str:
        """Return the position of the largest value of each row, ties to the first."""
        found: str = self("ArgMax", x, axis=1, keepdims=0)
        return found

    def model(self, inputs: list[Any], outputs: list[Any], note: str) -> bytes:
        """Return the file."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "vaglio", inputs, outputs, self.constants, doc_string=note)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(graph, opset_imports=versions, producer_name="vaglio")
        model.ir_version = IR_VERSION
        self.onnx.checker.check_model(model)
        found: bytes = model.SerializeToString()
        return found
