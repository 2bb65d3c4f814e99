"""HTML pages from templates: internal report, public report, notebook output.

The internal report is for those who hold the records: it states the seed and the risks. The public
report is rendered from `PublicRecord`, which has no fields for them. Each is one file with static
charts and no scripts, and shows no values of single records. All text is escaped except our charts.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from evomask.data.chart import Chart
from evomask.measures.analyses.analyses import ERROR_NAMES, MEAN_ERROR
from evomask.report import charts
from evomask.report.change_sentences import change_sentences
from evomask.report.charts import map_chart
from evomask.report.drawing import bars_svg, forest_svg, format_number, inline_svg, is_bar_chart
from evomask.report.loss_parts import LOSS_PARTS, largest_pairs, relations_sentence
from evomask.report.population import population_views
from evomask.report.public_record import (
    PublicAttribute,
    PublicLoss,
    PublicMatrix,
    PublicRecord,
    has_vague_numbers,
)
from evomask.report.record import (
    AttackNote,
    AttributeNote,
    LossNote,
    MatrixNote,
    ModelNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    SearchNote,
    SpecialNote,
)
from evomask.report.scenarios import (
    control_sentence,
    part_titles,
    promise_rows,
    promise_sentence,
    views_of,
)


def render_page(template: str, values: Mapping[str, object]) -> str:
    """Render a template; an undefined name raises."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def drawing(chart: Chart) -> Markup:
        return Markup(bars_svg(chart) if is_bar_chart(chart) else inline_svg(chart))  # noqa: S704 - drawn by us, its texts escaped

    environment = Environment(
        loader=PackageLoader("evomask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: f"{value:.2f}"
    environment.filters["share"] = lambda value: (
        f"{value:.0f}" if value == int(value) else f"{value:.2f}"
    )
    environment.filters["figure"] = format_number
    environment.filters["parameter"] = _parameter
    environment.filters["drawing"] = drawing
    environment.filters["forest"] = lambda *given: Markup(forest_svg(*given))  # noqa: S704 - numbers
    return wrap_wide_tables(environment.get_template(template).render(values).lstrip())


MANY_COLUMNS = 5
"""Tables with this many columns do not fit a narrow screen."""

_TABLE = re.compile(r'(<div class="wide"[^>]*>\s*)?<table[^>]*>.*?</table>', re.S)
_CAPTION = re.compile(r"<caption>(.*?)</caption>", re.S)


def wrap_wide_tables(html: str) -> str:
    """Put every wide table of a page into a box that scrolls."""
    return _TABLE.sub(_wrap_table, html)


def _wrap_table(found: re.Match[str]) -> str:
    table, caption = found[0], _CAPTION.search(found[0])
    if found[1] or caption is None or table.count('scope="col"') < MANY_COLUMNS:
        return table
    name = re.sub(r"<[^>]*>", "", caption[1]).split(";")[0].split(". ")[0]
    box = f'<div class="wide" tabindex="0" role="region" aria-label="{name}">'
    return f"{box}\n{table}\n</div>"


def _parameter(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


SINGLING_OUT, LINKABILITY, INFERENCE = "singling out", "linkability", "inference"
LEARNED = "learned"
QUESTION_OF_ATTACK = {"singling": SINGLING_OUT, LEARNED: INFERENCE}
"""Question that an attack answers by the first word of its name; default: linkability."""

QUESTIONS = {
    SINGLING_OUT: "Can the records of one person be isolated from all others?",
    LINKABILITY: "Can a record be linked to a person, or to records elsewhere?",
    INFERENCE: "Can a value of a person be inferred with high probability?",
}
"""The three questions of the data protection authorities (WP29 opinion 05/2014)."""

RISK_PARTS = {
    "reidentification": "people whose record is found by an intruder (identity disclosure)",
    "attribute_disclosure": "values of masked attributes inferred from similar records, beyond "
    "what is inferred of a control group",
    "confidential": "confidential values inferred from similar records, beyond what is inferred "
    "of a control group",
}
"""Meaning of each component of the risk."""

QUESTION_OF_PART = {
    "reidentification": LINKABILITY,
    "attribute_disclosure": INFERENCE,
    "confidential": INFERENCE,
}


class ResidualRisk(NamedTuple):
    """The most successful attack for one question, in percent.

    Args:
        what: the attack and its result.
        after: from the released file.
        guessing: baseline without any file; None if it is already subtracted.
        before: from the original.
    """

    question: str
    what: str
    after: float
    guessing: float | None
    before: float

    @property
    def gain(self) -> float:
        """Success from the released file beyond the baseline."""
        return self.after - (self.guessing or 0.0)


def question_of(attack: AttackNote) -> str:
    """Which of the three questions an attack answers."""
    return QUESTION_OF_ATTACK.get(attack.name.split("-")[0], LINKABILITY)


def residual_risks(record: ReleaseRecord) -> list[tuple[str, ResidualRisk | None]]:
    """Each question with its most successful attack; None if none was tried."""
    found = [*_part_risks(record), *_attack_risks(record.attacks)]
    return [
        (asks, max((r for r in found if r.question == name), key=lambda r: r.gain, default=None))
        for name, asks in QUESTIONS.items()
    ]


def _part_risks(record: ReleaseRecord) -> Iterator[ResidualRisk]:
    before, after = record.points.original.parts, record.chosen.parts
    titles = part_titles(after.attribute if after else "")
    for name, meaning in RISK_PARTS.items():
        was, left = getattr(before, name, None), getattr(after, name, None)
        if was is not None and left is not None:
            what = f"{titles[name]}: {meaning}"
            yield ResidualRisk(QUESTION_OF_PART[name], what, left, None, was)


def _attack_risks(attacks: Iterable[AttackNote]) -> Iterator[ResidualRisk]:
    for attack in attacks:
        yield ResidualRisk(
            question_of(attack), f"the attack: {attack.title}", attack.value, attack.baseline,
            attack.unmasked,
        )  # fmt: skip


ModelRow = tuple[str, str, str, str]
"""Title, before, after, and meaning."""


def model_rows(record: ReleaseRecord) -> Iterable[ModelRow]:
    """Rows on privacy models and average risks of the original and the released file."""
    before, after = record.before, record.after
    yield (
        "k",
        str(before.k),
        str(after.k),
        "records in the smallest equivalence class; higher is better",
    )
    uniques = "sample uniques (records alone in their equivalence class); lower is better"
    yield "uniques", str(before.uniques), str(after.uniques), uniques
    if after.l is not None:
        least = (
            "distinct confidential values in the least diverse equivalence class; higher is better"
        )
        yield "l", str(before.l), str(after.l), least
    if after.t is not None and before.t is not None:
        apart = "distance of confidential values in a class from those of the file; lower is better"
        yield "t", f"{before.t:.2f}", f"{after.t:.2f}", apart
    weighted = any(attribute.role == "weight" for attribute in record.attributes)
    sample = ", the file being a sample by its weights" if weighted else ""
    chance = f"re-identification risk of a record in percent, on average{sample}; lower is better"
    yield "record risk", f"{before.record_risk:.2f}", f"{after.record_risk:.2f}", chance
    if before.expected is not None and after.expected is not None:
        count = f"expected number of re-identified records{sample}; lower is better"
        yield (
            "expected re-identifications",
            _two_decimals(before.expected),
            _two_decimals(after.expected),
            count,
        )
    yield from _household_rows(before, after)
    yield from _special_rows(before.special, after.special)


def _two_decimals(value: float) -> str:
    return f"{value:.2f}"


def _household_rows(before: ModelNote, after: ModelNote) -> Iterable[ModelRow]:
    first, second = before.households, after.households
    if first is None or second is None:
        return
    chance = "chance in percent that any member is identified, on average; lower is better"
    yield "household risk", _two_decimals(first.average), _two_decimals(second.average), chance
    if first.most_exposed is not None and second.most_exposed is not None:
        most = "risk in percent of the most exposed member of a household, on average"
        values = _two_decimals(first.most_exposed), _two_decimals(second.most_exposed)
        yield "most exposed member", *values, f"{most}; lower is better"
    count = f"expected number of {second.households} households with a re-identified member"
    yield (
        "expected households",
        _two_decimals(first.expected),
        _two_decimals(second.expected),
        f"{count}; lower is better",
    )


def _special_rows(before: SpecialNote | None, after: SpecialNote | None) -> Iterable[ModelRow]:
    if before is None or after is None:
        return
    most = f"up to {after.largest} attributes"
    count = f"records that are unique on {most} (SUDA2); lower is better"
    yield "special uniques", str(before.records), str(after.records), count
    chance = (
        "probability of a correct match in percent, on average, higher for records unique on "
        f"few attributes (DIS); the file taken as {100 * after.fraction:.2g} percent of the "
        f"population; lower is better"
    )
    yield "match risk", _two_decimals(before.average), _two_decimals(after.average), chance


def contribution_rows(before: ModelNote, after: ModelNote) -> list[tuple[str, str, str]]:
    """Rows on each attribute's contribution to the scores of special uniques."""
    if before.special is None or after.special is None or not before.special.records:
        return []
    later = after.special.contributions
    return [
        (name, f"{share:.0f}", f"{later.get(name, 0.0):.0f}")
        for name, share in before.special.contributions.items()
    ]


MOST_SPREADS = 60
"""Attributes that are drawn; the record holds the others."""

WITHOUT_PARENTS = ("first", "next", "node")
"""Operators that create candidates without parents."""

MOST_LISTED = 60
MOST_FIGURES = 40
"""Figures of one table or model that are shown; the record holds the others."""

FEW_CATEGORIES, MOST_CATEGORIES = 6, 30


def internal_page(record: ReleaseRecord) -> str:
    """Render the internal report of a release as one HTML page."""
    drawn = [charts.distribution_chart(spread, record.minimum) for spread in record.spreads]
    shown = {spread.attribute for spread in record.spreads}
    return render_page(
        "internal.html",
        {
            "record": record,
            "map": charts.map_chart(record.points),
            "uses": charts.analyses_chart(record.points),
            "front": thin_front(record.points.view, record.chosen),
            "errors": [
                name
                for name in (*ERROR_NAMES.values(), MEAN_ERROR)
                if getattr(record.chosen, name) is not None
            ],
            "most_figures": MOST_FIGURES,
            "gone": list(_losses_of_attributes(record.attributes)),
            "changes": change_sentences(
                ((a, str(a.suppressed or "none")) for a in record.attributes if a.released),
                record.output.records,
                rounded=False,
            ),
            "numbers_unseen": has_vague_numbers(record.attributes),
            "verdicts": {name: _holds(record, name) for name in record.required},
            "explanation": record.explanation,
            "search_charts": _existing(
                charts.growth_chart(record.explanation.growth) if record.explanation else None,
                charts.evolution_chart(record.searches),
                charts.shares_chart(record.searches),
            ),
            "operators": [
                (search.name, *row) for search in record.searches for row in _offspring_rows(search)
            ],
            "residual": residual_risks(record),
            "scenarios": views_of(record),
            "promises": promise_rows(record),
            "control": control_sentence(record.chosen.parts.control) if record.chosen.parts else "",
            "loss": _loss_values(record.loss_parts),
            "models": list(model_rows(record)),
            "risk_charts": _risk_charts(record),
            "contributions": contribution_rows(record.before, record.after),
            "population": population_views(record.before.population, record.after.population),
            "limits": record.checked.limits if record.checked else (),
            "attacks": list(_attacks(record.attacks)),
            "spread_charts": drawn[:MOST_SPREADS],
            "more_spreads": len(drawn[MOST_SPREADS:]),
            "hidden": [a.name for a in record.attributes if a.changed and a.name not in shown],
            "association": record.associations and charts.association_chart(record.associations),
            "matrices": drawn_matrices(map(_as_public_matrix, record.matrices)),
            "large": too_large(map(_as_public_matrix, record.matrices)),
        },
    )


def _loss_values(parts: LossNote | PublicLoss | None) -> dict[str, object] | None:
    """What a page shows of the parts of the loss."""
    if parts is None:
        return None
    pairs = largest_pairs(parts) if isinstance(parts, LossNote) else parts.pairs
    return {
        "parts": [(name, getattr(parts, name), text) for name, text in LOSS_PARTS.items()],
        "chart": charts.attribute_loss_chart(parts),
        "pairs": pairs,
        "sentence": relations_sentence(pairs),
    }


def _risk_charts(record: ReleaseRecord) -> list[Chart]:
    both = record.before, record.after
    return [
        *charts.record_risk_charts(*both, record.minimum),
        *charts.household_risk_charts(*both, record.minimum),
        *_existing(charts.special_uniques_chart(*both)),
        *charts.match_risk_charts(*both, record.minimum),
    ]


def _existing(*drawn: Chart | None) -> list[Chart]:
    return [chart for chart in drawn if chart is not None]


def thin_front(front: tuple[PointNote, ...], chosen: PointNote) -> list[PointNote]:
    """Points evenly spaced along a long front, with the chosen one."""
    if len(front) <= MOST_LISTED:
        return list(front)
    places = {round(i * (len(front) - 1) / (MOST_LISTED - 1)) for i in range(MOST_LISTED)}
    return [p for place, p in enumerate(front) if place in places or p.point == chosen.point]


def _losses_of_attributes(
    attributes: Iterable[AttributeNote],
) -> Iterable[tuple[AttributeNote, str]]:
    """Attributes with lost categories or suppressed cells, and these categories in words."""
    for attribute in attributes:
        rare = f"{attribute.lost_rare} rare" if attribute.lost_rare else ""
        lost = ", ".join(filter(None, [*attribute.lost, rare]))
        if lost or attribute.suppressed:
            yield attribute, lost or "none"


def _holds(record: ReleaseRecord, name: str) -> str:
    if name not in record.achieved:
        return "not measured"
    required, achieved = record.required[name], record.achieved[name]
    return "yes" if (achieved <= required + 1e-9 if name == "t" else achieved >= required) else "no"


def _offspring_rows(search: SearchNote) -> Iterable[tuple[str, int, int, int]]:
    """Offspring of each operator: their number, survivors and improvements."""
    for operator in search.operators:
        if operator.children and operator.name not in WITHOUT_PARENTS:
            yield operator.name, operator.children, operator.entered, operator.improved


def _attacks(attacks: Iterable[AttackNote]) -> Iterable[tuple[str, str, AttackNote]]:
    """Attacks with question and meaning; the meaning of a learned model is given once."""
    explained = set()
    for attack in attacks:
        kind = attack.name.split("-")[0]
        meaning = "" if kind in explained and kind == LEARNED else f": {attack.meaning}"
        explained.add(kind)
        yield question_of(attack), meaning, attack


def _as_public_matrix(matrix: MatrixNote) -> PublicMatrix:
    again = ceil(matrix.repaired)
    return PublicMatrix(matrix.attribute, matrix.categories, matrix.rows, again)


def too_large(matrices: Iterable[PublicMatrix]) -> list[str]:
    """Attributes whose matrices do not fit a page."""
    return [matrix.attribute for matrix in matrices if len(matrix.categories) > MOST_CATEGORIES]


def drawn_matrices(matrices: Iterable[PublicMatrix]) -> list[dict[str, object]]:
    """Each matrix of a readable size as a table; a large one as a chart too."""
    return [
        {
            "table": matrix,
            "chart": charts.matrix_chart(matrix)
            if len(matrix.categories) > FEW_CATEGORIES
            else None,
        }
        for matrix in matrices
        if len(matrix.categories) <= MOST_CATEGORIES
    ]


def public_page(record: PublicRecord) -> str:
    """Render the report to publish with a release as one HTML page."""
    drawn = [charts.distribution_chart(spread, record.minimum) for spread in record.spreads]
    return render_page(
        "public.html",
        {
            "record": record,
            "promises": _guarantee_sentences(record),
            "loss": _loss_values(record.loss_parts),
            "spread_charts": drawn[:MOST_SPREADS],
            "more_spreads": len(drawn[MOST_SPREADS:]),
            "association": record.associations
            and charts.released_association_chart(record.associations),
            "masked": [a.name for a in record.attributes if _is_masked(a)],
            "untouched": [a.name for a in record.attributes if not _is_masked(a)],
            "matrices": drawn_matrices(record.matrices),
            "large": too_large(record.matrices),
            "repaired_matrices": any(matrix.repaired for matrix in record.matrices),
            "numbers_unseen": not record.small
            and any(
                one.kind == "continuous" and (one.generalized or one.suppressed != "none")
                for one in record.attributes
            ),
            "vague": any(
                attribute.generalized or attribute.suppressed != "none"
                for attribute in record.attributes
            ),
        },
    )


def _is_masked(attribute: PublicAttribute) -> bool:
    return bool(attribute.changed or attribute.generalized or attribute.suppressed != "none")


def _guarantee_sentences(record: PublicRecord) -> list[str]:
    known = _listed(record.quasi_identifiers)
    secret = _listed(record.confidential)
    counted = " This was counted in the written file." if record.checked else ""
    if record.scenarios:
        promised = (one for one in record.scenarios if one.required)
        return [promise_sentence(one, secret) + counted for one in promised]
    required = {name: f"{value:g}" for name, value in record.guaranteed.items()}
    words = {
        "k": f"Every combination of {known} is shared by at least {required.get('k')} records.",
        "l": f"Each equivalence class of {known} has at least {required.get('l')} different "
        f"values of {secret}.",
        "t": f"In each equivalence class of {known}, {secret} is distributed as in the file, "
        f"with a difference of at most {required.get('t')} (0 the same, 1 as different as can be).",
    }
    return [words[name] + counted for name in required]


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def map_html(points: PointsNote) -> str:
    """The risk-utility map as HTML: a chart and its caption."""
    chart = map_chart(points)
    return f"<figure>{inline_svg(chart)}<figcaption>{chart.reading}</figcaption></figure>"


def table_html(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML; floats with two decimals, None as an empty cell."""
    titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.2f}</td>'
    if isinstance(value, int):
        return f'<td style="text-align: right">{value}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"
