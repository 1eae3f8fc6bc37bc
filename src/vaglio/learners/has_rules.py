"""Rules of learners whose model can be read as rules."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from vaglio.fitted import Fitted


class HasRules:
    """For learners whose model can be read as IF … THEN … rules."""

    fitted_: Fitted

    def rules(self) -> Any:
        """Return the model as a :class:`~vaglio.RuleSet`."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.rules()
