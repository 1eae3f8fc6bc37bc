"""Products of powers of columns: a polynomial of the columns is a linear function of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from vaglio.errors import InputError, damaged_model_file
from vaglio.messages.message import text

MOST_PRODUCTS = 10_000
# Beyond this a number is far away, and how far makes no difference.
_FARTHEST = 1e100
_FACTOR = re.compile(r"x(\d+)(?:\s*\^\s*(\d+))?")


@dataclass(frozen=True, eq=False)
class Products:
    """Products of powers of the columns of a block of numbers.

    Parameters
    ----------
    powers : ndarray of int64, shape (k, p)
        The power of each of the p columns in each of the k products.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.encode import Products
    >>> products = Products.up_to(2, 2)
    >>> products.names(("a", "b"))
    ('a', 'b', 'a^2', 'a·b', 'b^2')
    >>> products(np.array([[2.0, 3.0]])).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """

    powers: np.ndarray

    @classmethod
    def up_to(cls, degree: int, p: int, least: int = 1) -> Products:
        """Return all products whose powers add up to at least ``least`` and at most ``degree``."""
        count = comb(p + degree, degree) - comb(p + least - 1, least - 1)
        if count > MOST_PRODUCTS:
            raise InputError(
                "too-many-products",
                "Degree {degree} makes {count:,} products of {p:,} columns; at most {most:,} are possible. Use a lower "
                "degree or fewer columns, or a support vector machine with a polynomial kernel.",
                degree=degree,
                count=count,
                p=p,
                most=MOST_PRODUCTS,
            )
        chosen = [c for h in range(least, degree + 1) for c in combinations_with_replacement(range(p), h)]
        powers = np.zeros((len(chosen), p), dtype=np.int64)
        for line, columns in enumerate(chosen):
            np.add.at(powers[line], list(columns), 1)
        return cls(powers)

    @classmethod
    def parse(cls, written: str, p: int) -> Products:
        """Return products as they are written, with the columns as x1, x2, …: ``"x1, x2, x1^2, x1*x2"``."""
        products = [product.strip() for product in written.split(",")]
        powers = np.zeros((len(products), p), dtype=np.int64)
        for line, product in enumerate(products):
            for factor in re.split(r"[*·]", product):
                found = _FACTOR.fullmatch(factor.strip())
                if found is None or not 1 <= int(found[1]) <= p or int(found[2] or 1) not in range(1, 101):
                    raise InputError(
                        "wrong-product",
                        "{product!r} is not a product of the {p:,} encoded columns. Write products as 'x1, x2, x1^2, "
                        "x1*x2', with x1 for the first column.",
                        product=product,
                        p=p,
                    )
                powers[line, int(found[1]) - 1] += int(found[2] or 1)
        return cls(powers)

    @classmethod
    def from_array(cls, powers: np.ndarray, p: int) -> Products:
        """Rebuild from a model file, trusting nothing in it."""
        fits = powers.dtype == np.int64 and powers.ndim == 2 and powers.shape[1] == p and len(powers) > 0
        listed = fits and len(powers) <= MOST_PRODUCTS and powers.min() >= 0 and powers.any(axis=1).all()
        if not listed or powers.max() > MOST_PRODUCTS:
            raise damaged_model_file(text("the products of its columns are not readable"))
        return cls(powers)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return the products of each row; a product with a missing factor is missing."""
        out = np.ones((len(rows), len(self.powers)))
        with np.errstate(over="ignore"):
            for column in np.flatnonzero(self.powers.any(axis=0)):
                for power in filter(None, np.unique(self.powers[:, column])):
                    these = np.flatnonzero(self.powers[:, column] == power)
                    out[:, these] *= rows[:, [column]] ** float(power)
                np.clip(out, -_FARTHEST, _FARTHEST, out=out)
        return out

    def names(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the name of each product."""
        return tuple(
            "·".join(columns[j] + (f"^{power}" if power > 1 else "") for j, power in enumerate(line.tolist()) if power)
            for line in self.powers
        )

    @property
    def shares(self) -> np.ndarray:
        """How much of each product belongs to each column: a row of shares that add up to 1."""
        shares: np.ndarray = self.powers / self.powers.sum(axis=1, keepdims=True)
        return shares
