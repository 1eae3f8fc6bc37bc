"""Why a row got its class: one form for every learner."""

from vaglio.explanation._context import Context
from vaglio.explanation._explaining import explain_rows
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.explanation.counterfactual.counterfactual import Change, Counterfactual

__all__ = ["Change", "Context", "Counterfactual", "Explanation", "Reason", "explain_rows"]
