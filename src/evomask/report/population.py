"""Population risk in words and rows: prosecutor, journalist, marketer, population uniques."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from evomask.measures.disclosure.population import LIMITS, IntruderRisk, PopulationRisk
from evomask.report.record import PopulationNote

BASES = {
    "file": "the file is treated as the whole population",
    "weights": "the file is a sample by its weights",
    "size": "the file is a sample of a population of the stated size",
    "table": "people are counted in the population table",
}
"""What the population is, by its basis."""

MODELS = {
    "independence": "log-linear model of independence",
    "two-way": "log-linear model of all two-way interactions",
    "interpolated": "interpolated log-linear models",
    "pitman": "Pitman's model",
    "zayatz": "Zayatz's model",
    "snb": "slide negative binomial",
}
"""Names of the models of population uniques."""


class PopulationRow(NamedTuple):
    """One quantity of a scenario, in the original and in the released file."""

    title: str
    before: str
    after: str


class PopulationView(NamedTuple):
    """A scenario with its rows, and what the figures rest on."""

    name: str
    basis: str
    rows: tuple[PopulationRow, ...]


def population_note(risk: PopulationRisk) -> PopulationNote:
    """Population risk for a record, with risks in percent."""
    return PopulationNote(
        risk.scenario,
        risk.known,
        risk.takes_part,
        risk.size,
        risk.basis,
        risk.k_map,
        _percent(risk.prosecutor),
        _percent(risk.journalist),
        100.0 * risk.marketer,
        tuple(100.0 * share for share in risk.journalist.above),
        risk.uniques,
        risk.chosen,
        risk.reason,
    )


def _percent(risk: IntruderRisk) -> tuple[float, float]:
    return 100.0 * risk.largest, 100.0 * risk.average


def population_views(
    before: Sequence[PopulationNote], after: Sequence[PopulationNote]
) -> list[PopulationView]:
    """Every scenario of a released file beside the original."""
    earlier = {one.scenario: one for one in before}
    return [
        PopulationView(
            one.scenario,
            _basis(one),
            tuple(
                PopulationRow(title, dict(_rows(earlier[one.scenario]))[title], value)
                if one.scenario in earlier
                else PopulationRow(title, "", value)
                for title, value in _rows(one)
            ),
        )
        for one in after
    ]


def population_lines(risks: Sequence[PopulationRisk]) -> list[str]:
    """Lines of the terminal on the population risk in every scenario."""
    lines = []
    for risk in map(population_note, risks):
        known = f"population risk of an intruder who knows {', '.join(risk.known)}"
        name = f"{risk.scenario}: " if risk.scenario else ""
        lines += wrap(f"{name}{known}; {_basis(risk)}", 96, subsequent_indent="    ")
        lines += [f"    {value:>12}  {title}" for title, value in _rows(risk)]
    return lines


def _basis(risk: PopulationNote) -> str:
    text = f"{BASES[risk.basis]} ({risk.size:,.0f} people)"
    if risk.chosen:
        text += f"; population uniques by {MODELS[risk.chosen]}: {risk.reason}"
    return text


def _rows(risk: PopulationNote) -> list[tuple[str, str]]:
    above = zip(LIMITS, risk.above, strict=False)
    mark = {True: " (who is this scenario's intruder)", False: ""}
    return [
        (
            f"prosecutor risk, largest, %{mark[risk.takes_part]}",
            f"{risk.prosecutor[0]:.2f}",
        ),
        ("prosecutor risk, mean, %", f"{risk.prosecutor[1]:.2f}"),
        (
            f"journalist risk, largest, %{mark[not risk.takes_part]}",
            f"{risk.journalist[0]:.2f}",
        ),
        ("journalist risk, mean, %", f"{risk.journalist[1]:.2f}"),
        *(
            (f"records with a journalist risk above {limit:g}, %", f"{share:.2f}")
            for limit, share in above
        ),
        ("marketer risk (share of people matched correctly), %", f"{risk.marketer:.2f}"),
        ("k-map (fewest people of the population who fit a class)", f"{risk.k_map:.1f}"),
        ("population uniques", f"{risk.uniques:,.0f}"),
        ("population uniques, % of the population", f"{100 * risk.uniques / risk.size:.3g}"),
    ]
