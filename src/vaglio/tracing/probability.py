"""Probabilities worked through: Bayes' theorem from given numbers, any event of a joint table, two normal densities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import erf, log, pi, sqrt
from typing import Any

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation, as_fraction
from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.table import Table
from vaglio.typing import TableLike

__all__ = ["trace_bayes", "trace_densities", "trace_event"]

# Lines of a joint table that are written.
_MOST_LINES = 40


# -- Bayes' theorem --------------------------------------------------------------------------------------------------
def trace_bayes(
    prior: Sequence[Any], likelihood: Sequence[Any], *, names: Sequence[str] | None = None, lang: str = "en"
) -> Trace:
    """Apply Bayes' theorem to a partition A1 … An and an event E.

    Parameters
    ----------
    prior : sequence of number or str
        P(A1) … P(An), which sum to 1: fractions such as ``"1/3"``, or decimals.
    likelihood : sequence of number or str
        P(E | A1) … P(E | An).
    names : sequence of str, optional
        What the parts are called; by default A1, A2, …
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_bayes
    >>> trace_bayes([0.3, 0.7], [0.8, 0.1]).facts["posterior"]
    ['24/31', '7/31']
    """
    priors, given = ([as_fraction(value) for value in numbers] for numbers in (prior, likelihood))
    labels = [f"A{i + 1}" for i in range(len(priors))] if names is None else [str(name) for name in names]
    if len(priors) < 2 or len(priors) != len(given) or len(labels) != len(priors):
        raise InputError(
            "bayes-lengths",
            "Give one prior and one likelihood for each of at least two parts; got {n_prior:,} and {n_likelihood:,}.",
            n_prior=len(priors),
            n_likelihood=len(given),
        )
    if any(not 0 <= value <= 1 for value in (*priors, *given)):
        raise InputError("probability-out-of-range", "A probability must be between 0 and 1.")
    # Decimals that were rounded, such as 0.333, may miss 1 a little.
    if abs(sum(priors, Fraction(0)) - 1) > Fraction(1, 100):
        raise InputError(
            "priors-do-not-sum",
            "The prior probabilities must sum to 1; they sum to {total:g}.",
            total=float(sum(priors)),
        )
    products = [p * q for p, q in zip(priors, given)]
    evidence = sum(products, Fraction(0))
    if not evidence:
        raise InputError(
            "evidence-impossible", "The event has probability 0 under every part, so it cannot be observed."
        )
    posterior = [product / evidence for product in products]
    page = Page(Notation(lang))
    say = page.say
    page.section(say("Prior and likelihood"))
    page.text(say("The parts exclude one another and cover everything. The event E was observed."))
    best = max(range(len(labels)), key=lambda i: float(posterior[i]))
    rows = [
        [name, *(say.fixed(float(value)) for value in line)]
        for name, *line in zip(labels, priors, given, products, posterior)
    ]
    page.table(["", "P(A)", "P(E|A)", "P(E|A)·P(A)", "P(A|E)"], rows, chosen=[best])
    page.section(say("Evidence"))
    terms = " + ".join(f"{say.fixed(float(q))}·{say.fixed(float(p))}" for p, q in zip(priors, given))
    page.formula(f"P(E) = Σ P(E|A)·P(A) = {terms} = {say.fixed(float(evidence))}")
    page.section(say("Posterior"))
    for name, product, value in zip(labels, products, posterior):
        worked = f"{say.fixed(float(product))}/{say.fixed(float(evidence))}"
        page.formula(f"P({name}|E) = P(E|{name})·P({name})/P(E) = {worked} = {say.fixed(float(value))}")
    page.text(say("The most probable part is {part}.", part=labels[best]))
    page.facts |= {"evidence": str(evidence), "posterior": [str(value) for value in posterior]}
    return page.finish(say("Bayes' theorem"))


# -- events of a joint table -----------------------------------------------------------------------------------------
def trace_event(X: TableLike, event: str, *, lang: str = "en") -> Trace:
    """Read the probability of any event from the joint table of the rows.

    Parameters
    ----------
    X : table or frame
        The rows; every column may be named.
    event : str
        ``"play=yes | humidity=high, windy=false"``: what is asked, and after the bar what is known. Without a bar
        nothing is known; a name without a value asks for all its values.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_event
    >>> trace_event(vaglio.datasets.load("play"), "play=yes | humidity=high, windy=false").facts["probability"]
    {'yes': '1/2'}
    """
    table = Table.from_any(X)
    asked, known = _parsed(event, table)
    names = list(dict.fromkeys([*(name for name, _ in asked), *known]))
    counts, left_out = _joint_counts(table, names)
    _check_values([*asked, *known.items()], table)
    n = sum(counts.values())
    if not n:
        raise InputError(
            "event-without-rows", "No row has a value in all of {columns}.", columns=listed(names, quoted=True)
        )
    page = Page(Notation(lang))
    say = page.say
    page.section(say("Joint table"))
    page.text(
        say(
            "The joint distribution gives every combination of values its share of the {n:,} rows. Columns that the "
            "event does not name are summed over.",
            n=n,
        )
    )
    if left_out:
        page.text(
            say("{n:,} {n:row has|rows have} a missing value in these columns and {n:is|are} left out.", n=left_out)
        )
    rows = [[*line, str(count), say.fixed(count / n)] for line, count in counts.items()]
    of_known = {line: count for line, count in counts.items() if _meets(line, names, known)}
    chosen = [at for at, line in enumerate(counts) if line in of_known]
    page.table([*names, say("rows"), "P"], rows, chosen=chosen, most=_MOST_LINES)
    given, condition = sum(of_known.values()), _written(known)
    if known:
        page.section(say("What is known"))
        page.formula(f"P({condition}) = {say.fraction(given, n)} = {say.fixed(given / n)}")
    if not given:
        raise InputError(
            "condition-impossible", "No row has {condition}, so nothing can be conditioned on it.", condition=condition
        )
    page.section(say("Probability of the event"))
    probability = {}
    for outcome, count in _outcomes(of_known, names, asked).items():
        what = _written(dict(zip((name for name, _ in asked), outcome)))
        if known:
            joint = f"P({what}, {condition})/P({condition})"
            page.formula(
                f"P({what} | {condition}) = {joint} = {say.fraction(count, n)} / {say.fraction(given, n)} = "
                f"{say.fraction(count, given)} = {say.fixed(count / given)}"
            )
        else:
            page.formula(f"P({what}) = {say.fraction(count, n)} = {say.fixed(count / n)}")
        open_values = [value for value, (_, told) in zip(outcome, asked) if told is None]
        probability[", ".join(open_values or outcome)] = str(Fraction(count, given))
    page.facts |= {"rows": n, "known": given, "probability": probability}
    return page.finish(say("The probability of an event"))


def _joint_counts(table: Table, names: list[str]) -> tuple[Counter[tuple[str, ...]], int]:
    """Return how often each combination of values occurs, and how many rows lack a value."""
    columns = [[None if v is None or v != v else spelling(v) for v in table[name].tolist()] for name in names]
    lines = list(zip(*columns))
    complete = Counter(tuple(str(value) for value in line) for line in lines if None not in line)
    return complete, len(lines) - sum(complete.values())


def _check_values(conditions: list[tuple[str, str | None]], table: Table) -> None:
    for name, value in conditions:
        values = sorted({spelling(v) for v in table[name].tolist() if v is not None and v == v})
        if value is not None and value not in values:
            raise InputError(
                "value-not-in-column",
                "No row has {value!r} in column {column!r}: {hint}",
                value=value,
                column=name,
                hint=did_you_mean(value, values, otherwise=text("its values are")),
            )


def _meets(line: tuple[str, ...], names: list[str], conditions: dict[str, str]) -> bool:
    return all(line[names.index(name)] == value for name, value in conditions.items())


def _outcomes(
    counts: dict[tuple[str, ...], int], names: list[str], asked: list[tuple[str, str | None]]
) -> Counter[tuple[str, ...]]:
    """Return how often what is asked occurs, for every value of the names without one."""
    fixed = {name: value for name, value in asked if value is not None}
    found: Counter[tuple[str, ...]] = Counter()
    for line, count in counts.items():
        if _meets(line, names, fixed):
            found[tuple(line[names.index(name)] for name, _ in asked)] += count
    return found or Counter({tuple(str(value) for _, value in asked): 0})


def _written(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _parsed(event: str, table: Table) -> tuple[list[tuple[str, str | None]], dict[str, str]]:
    """Return what is asked and what is known, as names and values."""
    asked_text, _, known_text = event.partition("|")
    asked, known = ([part for part in re.split(r",| and ", side) if part.strip()] for side in (asked_text, known_text))
    if not asked or event.count("|") > 1:
        raise InputError(
            "event-not-readable",
            "The event {event!r} cannot be read. Write it as in {example!r}.",
            event=event,
            example="play=yes | humidity=high, windy=false",
        )
    pairs = [_condition(part, table) for part in asked]
    conditions = [_condition(part, table) for part in known]
    if open_names := [name for name, value in conditions if value is None]:
        raise InputError("condition-without-value", "What is known needs a value: {column}=…", column=open_names[0])
    return pairs, {name: str(value) for name, value in conditions}


def _condition(part: str, table: Table) -> tuple[str, str | None]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    found = next((column for column in table.columns if column.casefold() == name.casefold()), None)
    if found is None:
        raise InputError(
            "event-unknown-column",
            "There is no column {column!r}: {hint}",
            column=name,
            hint=did_you_mean(name, table.columns, otherwise=text("there are")),
        )
    if not equals:
        return found, None
    # The value as the column spells it, whatever the case.
    spelled = {spelling(v).casefold(): spelling(v) for v in table[found].tolist() if v is not None and v == v}
    return found, spelled.get(value.casefold(), value)


# -- two densities ---------------------------------------------------------------------------------------------------
def trace_densities(
    mean: Sequence[float] = (0, 2),
    sd: Sequence[float] = (1, 1),
    prior: Sequence[Any] = ("1/2", "1/2"),
    threshold: float | None = None,
    *,
    lang: str = "en",
) -> Trace:
    """Decide between two normal densities by a threshold: errors, rates, and the threshold of least error.

    Parameters
    ----------
    mean, sd : sequence of two numbers
        Of the scores of the negative and of the positive class.
    prior : sequence of two numbers
        Shares of the classes.
    threshold : float, optional
        Scores above it are predicted positive; by default the threshold of least error.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_densities
    >>> facts = trace_densities([0, 2], [1, 1]).facts
    >>> facts["threshold"], round(facts["error"], 4)
    (1.0, 0.1587)
    """
    (m0, m1), (s0, s1), (p0, p1) = _pair(mean), _pair(sd), _pair([as_fraction(value) for value in prior])
    if s0 <= 0 or s1 <= 0 or m1 <= m0 or not (0 < p0 < 1) or abs(p0 + p1 - 1) > 1e-9:
        raise InputError(
            "densities-invalid",
            "Give two means in ascending order, two positive standard deviations, and two priors that sum to 1.",
        )
    best = _crossing(m0, m1, s0, s1, p0, p1)
    chosen = best if threshold is None else float(threshold)
    page = Page(Notation(lang))
    say = page.say
    page.section(say("Two densities"))
    for name, m, s, p in ((say("negative"), m0, s0, p0), (say("positive"), m1, s1, p1)):
        page.formula(f"p(x|{name}) = N({say.fixed(m)}, {say.fixed(s)}²), P({name}) = {say.fixed(p)}")
    page.section(say("Thresholds"))
    page.text(say("A score above the threshold is predicted positive. A higher threshold lowers both TPR and FPR."))
    low, high = min(m0 - s0, chosen), max(m1 + s1, chosen)
    steps = sorted({chosen, best, *(low + (high - low) * i / 8 for i in range(9))})
    rows = []
    for t in steps:
        tpr, fpr = 1 - _normal(t, m1, s1), 1 - _normal(t, m0, s0)
        error = p0 * fpr + p1 * (1 - tpr)
        rows.append([say.fixed(t), say.fixed(tpr), say.fixed(fpr), say.fixed(1 - tpr), say.fixed(error)])
    page.table([say("threshold"), "TPR", "FPR", "FNR", say("error rate")], rows, chosen=[steps.index(chosen)])
    tpr, fpr = 1 - _normal(chosen, m1, s1), 1 - _normal(chosen, m0, s0)
    error = p0 * fpr + p1 * (1 - tpr)
    page.section(say("Least error"))
    page.text(
        say(
            "The error is least where the densities, multiplied by their priors, are equal: at {best}.",
            best=say.fixed(best),
        )
    )
    worked = f"{say.fixed(p0)}·{say.fixed(fpr)} + {say.fixed(p1)}·{say.fixed(1 - tpr)}"
    page.formula(f"{say('error rate')}({say.fixed(chosen)}) = {worked} = {say.fixed(error)}")
    page.facts |= {"threshold": chosen, "best": best, "tpr": tpr, "fpr": fpr, "error": error}
    return page.finish(say("A threshold between two densities"))


def _pair(values: Sequence[Any]) -> tuple[float, float]:
    numbers = [float(value) for value in values]
    if len(numbers) != 2:
        raise InputError("densities-two", "Give two numbers, one per class; got {n:,}.", n=len(numbers))
    return numbers[0], numbers[1]


def _normal(x: float, mean: float, sd: float) -> float:
    return 0.5 * (1 + erf((x - mean) / (sd * sqrt(2))))


def _crossing(m0: float, m1: float, s0: float, s1: float, p0: float, p1: float) -> float:
    """Return where p0·N(x; m0, s0) = p1·N(x; m1, s1): the root between the means, else the nearest to their middle."""
    a = 1 / (2 * s1**2) - 1 / (2 * s0**2)
    b = m0 / s0**2 - m1 / s1**2
    c = m1**2 / (2 * s1**2) - m0**2 / (2 * s0**2) + log(p0 / (s0 * sqrt(2 * pi))) - log(p1 / (s1 * sqrt(2 * pi)))
    middle = (m0 + m1) / 2
    if abs(a) < 1e-15:
        return -c / b
    inside = b * b - 4 * a * c
    if inside < 0:  # one class is more probable everywhere
        return middle
    roots = [(-b + sign * sqrt(inside)) / (2 * a) for sign in (1, -1)]
    return min(roots, key=lambda root: abs(root - middle))
