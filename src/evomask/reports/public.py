"""The public report: what was done to the file and what it costs, for those who work with it.

It is made from the part of the record that may be told (`PublicRecord`), which has no place
for a seed, a risk or a record's value.
"""

from evomask.record.public import PublicAttribute, PublicRecord
from evomask.reports import charts
from evomask.reports.internal import MOST_SPREADS, drawn_matrices, too_large
from evomask.reports.pages import page


def public_page(record: PublicRecord) -> str:
    """The report to publish with a release as one page of HTML."""
    drawn = [charts.spread_chart(spread, record.minimum) for spread in record.spreads]
    return page(
        "public.html",
        {
            "record": record,
            "promises": _promises(record),
            "spread_charts": drawn[:MOST_SPREADS],
            "more_spreads": len(drawn[MOST_SPREADS:]),
            "association": record.associations
            and charts.released_association_chart(record.associations),
            "masked": [a.name for a in record.attributes if _is_masked(a)],
            "untouched": [a.name for a in record.attributes if not _is_masked(a)],
            "matrices": drawn_matrices(record.matrices),
            "large": too_large(record.matrices),
            "repaired_matrices": any(matrix.repaired for matrix in record.matrices),
            "vague": any(
                attribute.generalized or attribute.suppressed != "none"
                for attribute in record.attributes
            ),
        },
    )


def _is_masked(attribute: PublicAttribute) -> bool:
    return bool(attribute.changed or attribute.generalized or attribute.suppressed != "none")


def _promises(record: PublicRecord) -> list[str]:
    known = _listed(record.quasi_identifiers)
    secret = _listed(record.confidential)
    asked = {name: f"{value:g}" for name, value in record.guaranteed.items()}
    words = {
        "k": f"Every combination of {known} is shared by at least {asked.get('k')} records.",
        "l": f"Records alike in {known} have at least {asked.get('l')} different values of "
        f"{secret}.",
        "t": f"Among records alike in {known}, {secret} is spread as in the whole file, with a "
        f"difference of at most {asked.get('t')} (0 the same, 1 as different as can be).",
    }
    counted = " This was counted in the written file." if record.checked else ""
    return [words[name] + counted for name in asked]


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
