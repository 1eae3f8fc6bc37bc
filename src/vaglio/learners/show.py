"""How an estimator shows itself in a notebook."""

from __future__ import annotations

from typing import Any

from vaglio.fitted import Fitted


class ShowsItsModel:
    """The model once there is one, scikit-learn's box of parameters before."""

    fitted_: Fitted

    def _repr_html_(self) -> str:
        """Show the model once there is one, scikit-learn's box of parameters before."""
        return self.fitted_._repr_html_() if hasattr(self, "fitted_") else super()._repr_html_()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # Notebooks call this first, and scikit-learn's version never calls _repr_html_.
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return {**bundle, "text/html": self._repr_html_()} if "text/html" in bundle else bundle
