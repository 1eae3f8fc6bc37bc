"""Why several models decided so: their votes, and the reasons of the members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.by_kind import cuts, explainers
from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.ensembles.model.ensemble import Ensemble, Member
from vaglio.learners.ensembles.model.voting import Voting
from vaglio.learners.forest.explain import TreeOfMany, explain_trees, votes_in_words
from vaglio.learners.forest.model.forest import MOST_TREES
from vaglio.learners.trees.explain import thresholds
from vaglio.learners.trees.model.tree import Tree
from vaglio.model.families import KINDS

# Reasons that are told of each of several different learners.
_SHOWN_OF_MEMBER = 3


def explain_ensemble(model: Ensemble, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row likewise, as far as the members are trees; else by the votes alone."""
    answers = model.predict_proba(matrix) if model.n_classes else model.predict(matrix)[:, None]
    total = sum(member.weight for member in model.members)
    who = f"{len(model.members)} members"
    if not all(isinstance(member.model, Tree) for member in model.members):
        return _explained_by_votes(model, answers, matrix, context, who, total)
    everything = np.arange(matrix.n_features)
    parts = (
        TreeOfMany(
            member.model,
            member.rows(matrix),
            everything if member.features is None else member.features,
            _full(_says(member.model, model.vote), member.classes, model.n_classes),
            member.weight / total,
        )
        for member in model.members
    )
    return explain_trees(answers, parts, matrix, context, who)


def _says(tree: Tree, vote: str | None) -> np.ndarray:
    """What each node would predict: the mean, the class probabilities, or one vote."""
    if vote == "hard" and not tree.regression:
        votes: np.ndarray = np.eye(tree.value.shape[1])[np.argmax(tree.says, axis=1)]
        return votes
    return tree.says


def _full(says: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    if n_classes in (0, len(classes)):
        return says
    full = np.zeros((len(says), n_classes))
    full[:, classes] = says
    return full


def _explained_by_votes(
    model: Ensemble, answers: np.ndarray, matrix: EncodedMatrix, context: Context, who: str, total: float
) -> list[Explanation]:
    """Members that are no trees: how they voted, and what the weightiest of them has to say."""
    if context.classes is None:
        return [Explanation(float(answer[0]), notes=(f"the mean of {who}",)) for answer in answers]
    votes = np.zeros_like(answers)
    for member in model.members:
        votes[np.arange(len(votes)), member.decide(matrix)] += member.weight / total
    explanations = []
    for answer, vote in zip(answers, votes):
        ranked = context.ranked(answer)
        second = ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
        explanations.append(
            Explanation(
                decision=context.label(ranked[0]),
                probability=float(answer[ranked[0]]),
                runner_up=None if second is None else context.label(second),
                notes=(votes_in_words(vote, who, context),),
            )
        )
    return explanations


# -- different learners ------------------------------------------------------------------------------------------------
def explain_voting(model: Voting, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what each member says, with which weight, and by the member's own reasons."""
    said, answers = model.each(matrix), model.predict_proba(matrix)
    decided = np.stack([member.decide(matrix) for member in model.members])
    own = [_own_reasons(member, matrix, context) for member in model.members]
    what, explanations = "votes" if model.vote == "hard" else "mean probability", []
    for row, answer in enumerate(answers):
        ranked = context.ranked(answer)
        best, second = ranked[0], ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
        votes = [_vote_of(model, i, said[i, row], int(code), best, context) for i, code in enumerate(decided[:, row])]
        order = sorted(range(len(votes)), key=lambda i: -(votes[i].weight or 0.0))
        explanations.append(
            Explanation(
                decision=context.label(best),
                probability=float(answer[best]),
                runner_up=None if second is None else context.label(second),
                reasons=tuple(votes[i] for i in order if decided[i, row] == best),
                against=tuple(votes[i] for i in order if decided[i, row] != best),
                notes=tuple(f"{model.names[i]}: {own[i][row]}" for i in order if own[i][row]),
                measure=f"share in the {what} of {context.label(best)}",
                total=float(answer[best]),
            )
        )
    return explanations


def _vote_of(model: Voting, i: int, said: np.ndarray, code: int, best: int, context: Context) -> Reason:
    chance = "" if model.vote == "hard" else f" ({said[code]:.1%})"
    share = float(model.shares[i])
    text = f"{model.names[i]} votes {context.label(code)}{chance}, weight {share:.0%}"
    return Reason(text, weight=share * float(said[best]))


def _own_reasons(member: Member, matrix: EncodedMatrix, context: Context) -> list[str]:
    """What speaks most for each row's class in the eyes of one member; nothing for models of other libraries."""
    explain = explainers.find(member.model.kind) if member.model.kind in KINDS else None
    if explain is None:
        return [""] * matrix.n_rows
    labels = None if context.classes is None else np.asarray(context.classes)[member.classes]
    seen = replace(context, classes=labels, cost=None)  # a member votes by itself; the costs decide among the votes
    told = []
    for explanation in explain(member.model, member.rows(matrix), seen):
        reasons = [reason.text for reason in explanation.reasons if reason.feature is not None] or [
            reason.text for reason in explanation.reasons
        ]
        why = ", ".join(reasons[:_SHOWN_OF_MEMBER]) or "; ".join(explanation.notes[:1])
        told.append(f"{explanation.decision} because {why}" if why else "")
    return told


def cuts_of_voters(model: Voting, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of the members that are made of thresholds, by feature."""
    found: dict[int, list[float]] = {}
    for member in model.members:
        find = cuts.find(member.model.kind) if member.model.kind in KINDS else None
        for feature, values in (find(member.model, context) if find is not None else {}).items():
            found.setdefault(feature, []).extend(values)
    return {feature: sorted(set(values)) for feature, values in found.items()}


def cuts_of_members(model: Ensemble, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the members that are trees, by feature."""
    everything = np.arange(len(context.features))
    trees = [member for member in model.members if isinstance(member.model, Tree)]
    chosen = trees[:: max(1, len(trees) // MOST_TREES)]
    return thresholds((member.model, everything if member.features is None else member.features) for member in chosen)


def leaves_of_members(model: Ensemble, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray] | None:
    """The leaf of each row in each member, and the weights of the members; None if some are no trees."""
    if not all(isinstance(member.model, Tree) for member in model.members):
        return None
    weight = np.array([member.weight for member in model.members])
    found = [member.model.apply(member.rows(matrix)) for member in model.members]
    return np.column_stack(found), weight / weight.sum()
