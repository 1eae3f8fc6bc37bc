"""Why a row got its class: one form for every learner."""

from vaglio.explanation._dispatch import Context, explain_rows
from vaglio.explanation._explanation import Explanation, Reason

__all__ = ["Context", "Explanation", "Reason", "explain_rows"]
