"""Why a row got its class: one form for every learner."""

from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Change, Counterfactual, Explanation, Explanations, Reason, explain_rows

__all__ = ["Change", "Context", "Counterfactual", "Explanation", "Explanations", "Reason", "explain_rows"]
