"""Structs in Thrift's compact protocol, as the metadata of Parquet is written: only the fields that are asked for."""

from __future__ import annotations

from typing import Any

from vaglio.table.readers.sizes.arrow_sizes import Damaged

# A number of 32 or 64 bits as its kind in the protocol; a struct as its fields, by number; a list as its one element.
I32, I64 = 5, 6
Shape = int | dict[int, Any] | list[Any] | None
_BYTE, _DOUBLE, _BYTES, _LIST, _SET, _MAP, _STRUCT = 3, 7, 8, 9, 10, 11, 12
# Deeper structs, and longer lists, are not metadata.
_DEEPEST, _LONGEST = 32, 1_000_000


class Thrift:
    """Bytes in the compact protocol; at their end reading raises IndexError.

    A field is expected to have its kind and to occur once, because programs differ in what they make of others.

    Parameters
    ----------
    data : bytes
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, shape: dict[int, Any], depth: int = 0) -> dict[int, Any]:
        """Read a struct, and return those of its fields that the shape has."""
        if depth > _DEEPEST:
            raise Damaged("metadata is nested too deeply")
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = (field + (head >> 4)) if head >> 4 else self._number()
            if not 0 <= field < 1 << 15 or field in fields:
                raise Damaged("metadata has a field that it cannot have")
            found = self._value(shape.get(field), head & 15, depth)
            if field in shape:
                fields[field] = found
        return fields

    def _value(self, shape: Shape, kind: int, depth: int) -> Any:
        if shape is None:
            return self._skip(kind, depth)
        if kind != (shape if isinstance(shape, int) else _STRUCT if isinstance(shape, dict) else _LIST):
            raise Damaged("metadata has a field of another kind than it should have")
        if isinstance(shape, int):
            return self._number()
        if isinstance(shape, dict):
            return self.struct(shape, depth + 1)
        size, inner = self._list()
        return [self._value(shape[0], inner, depth + 1) for _ in range(size)]

    def _skip(self, kind: int, depth: int, listed: bool = False) -> None:
        if depth > _DEEPEST:
            raise Damaged("metadata is nested too deeply")
        if kind in (1, 2):  # true and false: in a list they take a byte
            self._pass(int(listed))
        elif kind in (4, I32, I64):
            self._varint()
        elif kind in (_BYTE, _DOUBLE):
            self._pass(1 if kind == _BYTE else 8)
        elif kind == _BYTES:
            self._pass(self._varint())
        elif kind in (_LIST, _SET):
            size, inner = self._list()
            for _ in range(size):
                self._skip(inner, depth + 1, listed=True)
        elif kind == _STRUCT:
            self.struct({}, depth + 1)
        else:
            raise Damaged("metadata has a field of an unknown kind")

    def _list(self) -> tuple[int, int]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if size > _LONGEST:
            raise Damaged("metadata has a list that is too long")
        return size, head & 15

    def _byte(self) -> int:
        found = self.data[self.at]
        self.at += 1
        return found

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) > 0x7F:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise Damaged("metadata has a number without an end")
        return value | byte << shift

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _pass(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise IndexError
