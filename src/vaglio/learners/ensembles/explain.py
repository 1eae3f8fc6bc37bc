"""Why several models decided so: their votes, and the reasons of the members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import IN_PREDICTION
from vaglio.explanation.counterfactual import cuts
from vaglio.explanation.explanation import Explanation, Reason, explainers
from vaglio.learners.ensembles.model import Ensemble, Member, Voting
from vaglio.learners.forest.explain import TreeOfMany, explain_trees, votes_in_words
from vaglio.learners.forest.model.forest import MOST_TREES
from vaglio.learners.trees.explain import thresholds
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import plural
from vaglio.model.families import KINDS

# Reasons that are told of each of several different learners.
_SHOWN_OF_MEMBER = 3


def explain_ensemble(model: Ensemble, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row likewise, as far as the members are trees; else by the votes alone."""
    if model.vote == "median":
        return _explained_by_the_middle(model, matrix, context)
    answers = model.predict_proba(matrix) if model.n_classes else model.predict(matrix)[:, None]
    total = sum(member.weight for member in model.members)
    who = plural(len(model.members), "member")
    if not all(isinstance(member.model, Tree) for member in model.members):
        return _explained_by_votes(model, answers, matrix, context, who, total)
    everything = np.arange(matrix.n_features)
    parts = (
        TreeOfMany(
            member.model,
            member.rows(matrix),
            everything if member.features is None else member.features,
            _says(member, model),
            member.weight / total,
        )
        for member in model.members
    )
    return explain_trees(answers, parts, matrix, context, who)


def _explained_by_the_middle(model: Ensemble, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by the member whose number is the weighted median."""
    said = model.said(matrix)
    middle = model.in_the_middle(said)
    note = Message(
        "median-of-members",
        "the weighted median of {who}; the reasons are those of the member that predicts it",
        who=plural(len(model.members), "member"),
    )
    found: list[Explanation] = [Explanation(None)] * matrix.n_rows
    for k in np.unique(middle).tolist():
        rows, member = np.flatnonzero(middle == k), model.members[k]
        explain = explainers.find(member.model.kind) if member.model.kind in KINDS else None
        own = (
            [Explanation(float(value)) for value in said[rows, k]]
            if explain is None
            else explain(member.model, member.rows(matrix.take(rows)), context)
        )
        for row, told in zip(rows.tolist(), own):
            found[row] = replace(told, notes=(note, *told.notes))
    return found


def _says(member: Member, ensemble: Ensemble) -> np.ndarray:
    """What each node of a tree would predict: the mean, the probabilities of all classes, or one vote."""
    tree: Tree = member.model
    says = tree.says
    if ensemble.vote == "hard" and not tree.regression:
        says = np.eye(tree.value.shape[1])[np.argmax(says, axis=1)]
    if ensemble.n_classes in (0, len(member.classes)):
        return says
    full = np.zeros((len(says), ensemble.n_classes))
    full[:, member.classes] = says
    return full


def _explained_by_votes(
    model: Ensemble, answers: np.ndarray, matrix: EncodedMatrix, context: Context, who: str, total: float
) -> list[Explanation]:
    """Explain members that are not trees by their votes."""
    if context.classes is None:
        return [
            Explanation(float(answer[0]), notes=(Message("mean-of-members", "the mean of {who}", who=who),))
            for answer in answers
        ]
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
    if context.classes is None:
        return _explained_mean(model, matrix, context)
    said, answers = model.each(matrix), model.predict_proba(matrix)
    decided = np.stack([member.decide(matrix) for member in model.members])
    own = [_own_reasons(member, matrix, context) for member in model.members]
    explanations = []
    for row, answer in enumerate(answers):
        ranked = context.ranked(answer)
        best, second = ranked[0], ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
        votes = []
        for name, share, told, code in zip(model.names, model.shares.tolist(), said[:, row], decided[:, row].tolist()):
            vote = {"member": name, "label": str(context.label(code)), "weight": share}
            cast = (
                Message("vote", "{member} votes {label}, weight {weight:.0%}", **vote)
                if model.vote == "hard"
                else Message(
                    "vote-with-probability",
                    "{member} votes {label} ({probability:.1%}), weight {weight:.0%}",
                    probability=float(told[code]),
                    **vote,
                )
            )
            votes.append(Reason(cast, weight=share * float(told[best])))
        order = sorted(range(len(votes)), key=lambda i: -(votes[i].weight or 0.0))
        explanations.append(
            Explanation(
                decision=context.label(best),
                probability=float(answer[best]),
                runner_up=None if second is None else context.label(second),
                reasons=tuple(votes[i] for i in order if decided[i, row] == best),
                against=tuple(votes[i] for i in order if decided[i, row] != best),
                notes=tuple(
                    Message("reasons-of-member", "{member}: {why}", member=model.names[i], why=own[i][row])
                    for i in order
                    if own[i][row]
                ),
                measure=(
                    Message("share-in-votes", "share in the votes for {label}", label=str(context.label(best)))
                    if model.vote == "hard"
                    else Message(
                        "share-in-mean-probability",
                        "share in the mean probability of {label}",
                        label=str(context.label(best)),
                    )
                ),
                total=float(answer[best]),
            )
        )
    return explanations


def _explained_mean(model: Voting, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain the mean of numbers by what each member predicts, with which weight, and by the member's own reasons."""
    said, answers = model.each(matrix)[:, :, 0], model.predict(matrix)
    own = [_own_reasons(member, matrix, context) for member in model.members]
    explanations = []
    for row, answer in enumerate(answers.tolist()):
        told = [
            Reason(
                Message("prediction-of-member", "{member} predicts {value:.6g}, weight {weight:.0%}", **each),
                weight=each["value"] * each["weight"],
            )
            for each in (
                {"member": name, "value": float(value), "weight": share}
                for name, value, share in zip(model.names, said[:, row], model.shares.tolist())
            )
        ]
        notes = tuple(
            Message("reasons-of-member", "{member}: {why}", member=name, why=why[row])
            for name, why in zip(model.names, own)
            if why[row]
        )
        told.sort(key=lambda reason: -abs(reason.weight or 0.0))
        explanations.append(
            Explanation(
                answer,
                reasons=tuple(reason for reason in told if (reason.weight or 0.0) >= 0),
                against=tuple(reason for reason in told if (reason.weight or 0.0) < 0),
                notes=notes,
                measure=IN_PREDICTION,
                total=answer,
            )
        )
    return explanations


def _own_reasons(member: Member, matrix: EncodedMatrix, context: Context) -> list[str]:
    """The strongest reasons of one member for the class it gives each row; none for models of other libraries."""
    explain = explainers.find(member.model.kind) if member.model.kind in KINDS else None
    if explain is None:
        return [""] * matrix.n_rows
    labels = None if context.classes is None else np.asarray(context.classes)[member.classes]
    seen = replace(context, classes=labels, cost=None)  # a member votes by itself; the costs decide among the votes
    told = []
    for explanation in explain(member.model, member.rows(matrix), seen):
        known = explanation.reasons
        if labels is None:  # what lowers a number is as much a reason for it as what raises it
            known = (*explanation.told_for, *explanation.told_against)
            known = tuple(sorted(known, key=lambda reason: -abs(reason.weight or 0.0)))
        reasons = [reason.text for reason in known if reason.feature is not None] or [reason.text for reason in known]
        why = join(", ", reasons[:_SHOWN_OF_MEMBER] or explanation.notes[:1])
        label = str(explanation.decision) if labels is not None else Number(f"{explanation.decision:.6g}")
        told.append(text("{label} because {why}", label=label, why=why) if why else "")
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
