"""Why a row got its class: one form for every learner."""

from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Change, Counterfactual, Explanation, Reason, explain_rows

__all__ = ["Change", "Context", "Counterfactual", "Explanation", "Reason", "explain_rows"]
