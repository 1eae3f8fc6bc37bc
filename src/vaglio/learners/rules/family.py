"""Rule learners: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.rules.model.ruleset import RuleSet

    return {"rules": RuleSet}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.rules.explain import explain_rules

    return {"rules": explain_rules}


def _counterfactual() -> Mapping[str, Any]:
    from vaglio.learners.rules.explain import change_into_a_rule

    return {"rules": change_into_a_rule}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.rules.explain import ends_of_ranges

    return {"rules": ends_of_ranges}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.rules.export import EXPORTERS

    return EXPORTERS


def _show() -> Mapping[str, Any]:
    from vaglio.learners.rules.export import show_rules

    return {"rules": show_rules}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.rules.chapter import rules_parts

    return {"rules": rules_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.rules.trace import trace_foil, trace_rules

    return {"foil": trace_foil, "cn2": trace_rules, "aq": trace_rules, "ripper": trace_rules}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.rules.trace import animate_rules

    return {"foil": animate_rules, "cn2": animate_rules, "aq": animate_rules, "ripper": animate_rules}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.rules.estimators.aq import AQClassifier
    from vaglio.learners.rules.estimators.cn2 import CN2Classifier
    from vaglio.learners.rules.estimators.foil import FOILClassifier
    from vaglio.learners.rules.estimators.ripper import RIPPERClassifier

    return {"foil": FOILClassifier, "cn2": CN2Classifier, "aq": AQClassifier, "ripper": RIPPERClassifier}


# Their rules are surer than they are right, on nearly every table.
_CALIBRATED = {"calibrate": "temperature"}

FAMILY = Family(
    name="rules",
    kinds=(Kind("rules", missing=text("only conditions that allow for them are met"), readable=True),),
    learners=(
        Learner(
            "foil",
            "rules",
            _estimators,
            text("FOIL rules: grown by information gain, class by class, kept if they are accurate enough"),
            {"min_accuracy": [0.6, 0.7, 0.8, 0.9], "min_positive": [1.0, 2.0, 5.0]},
            textbook={
                "encoding_limit": Choice(
                    False,
                    text("Rules are learned until no positive row is left; the default stops by description length."),
                ),
                "min_accuracy": Choice(
                    0.0, text("A rule is kept however often it errs; the default asks for {share:.0%}.", share=0.8)
                ),
            },
            name="FOIL",
            when=text("Short rules for one class against the rest."),
            settings=_CALIBRATED,
        ),
        Learner(
            "cn2",
            "rules",
            _estimators,
            text("CN2 rules: the best significant conjunction of a beam search, then the next; a list or a set"),
            {
                "mode": ["ordered", "unordered"],
                "measure": ["entropy", "laplace", "m-estimate"],
                "min_covered": [1.0, 5.0],
            },
            name="CN2",
            when=text("Rules that must be statistically significant."),
            settings=_CALIBRATED,
        ),
        Learner(
            "aq",
            "rules",
            _estimators,
            text("AQ rules: conjunctions that cover a seed row and few rows of other classes"),
            {"beam_width": [1, 5, 10], "min_accuracy": [0.8, 0.9, 1.0]},
            name="AQ",
            when=text("Rules that describe a class completely, on small tables."),
            settings=_CALIBRATED,
        ),
        Learner(
            "ripper",
            "rules",
            _estimators,
            text("RIPPER rules: few and short, grown and pruned on separate rows, revised by description length"),
            {"optimizations": [0, 2, 5], "min_positive": [1.0, 2.0, 5.0], "folds": [3, 5]},
            settings={"optimizations": 5},  # two passes, as the author has them, leave half a point on tables left out
            name="RIPPER",
            when=text("Few and short rules, also on large and noisy tables."),
        ),
    ),
    models=_models,
    explain=_explain,
    counterfactual=_counterfactual,
    cuts=_cuts,
    export=_export,
    show=_show,
    chapter=_chapter,
    trace=_trace,
    animate=_animate,
)
