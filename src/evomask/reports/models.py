"""Rows of the internal report's tables on privacy models and special uniques."""

from collections.abc import Iterable

from evomask.record.record import ModelNote, ReleaseRecord, SpecialNote

Row = tuple[str, str, str, str]
"""Title, before, after, and what it says."""


def model_rows(record: ReleaseRecord) -> Iterable[Row]:
    """Privacy models and average risks of the original and the released file."""
    before, after = record.before, record.after
    yield (
        "k",
        str(before.k),
        str(after.k),
        "records in the smallest class of look-alikes; higher is better",
    )
    uniques = "records that look like no other; lower is better"
    yield "uniques", str(before.uniques), str(after.uniques), uniques
    if after.l is not None:
        least = "confidential values in the least varied class; higher is better"
        yield "l", str(before.l), str(after.l), least
    if after.t is not None and before.t is not None:
        apart = "how far a class is from the whole file in its confidential values; lower is better"
        yield "t", f"{before.t:.2f}", f"{after.t:.2f}", apart
    weighted = any(attribute.role == "weight" for attribute in record.attributes)
    sample = ", the file being a sample by its weights" if weighted else ""
    chance = f"chance in percent to identify a record, on average{sample}; lower is better"
    yield "record risk", f"{before.record_risk:.2f}", f"{after.record_risk:.2f}", chance
    if before.expected is not None and after.expected is not None:
        count = f"records expected to be identified{sample}; lower is better"
        yield "expected re-identifications", _two(before.expected), _two(after.expected), count
    yield from _household_rows(before, after)
    yield from _special_rows(before.special, after.special)


def _two(value: float) -> str:
    return f"{value:.2f}"


def _household_rows(before: ModelNote, after: ModelNote) -> Iterable[Row]:
    first, second = before.households, after.households
    if first is None or second is None:
        return
    chance = "chance in percent that any member is identified, on average; lower is better"
    yield "household risk", _two(first.average), _two(second.average), chance
    count = f"of {second.households} households those with a member expected to be identified"
    yield (
        "expected households",
        _two(first.expected),
        _two(second.expected),
        f"{count}; lower is better",
    )


def _special_rows(before: SpecialNote | None, after: SpecialNote | None) -> Iterable[Row]:
    if before is None or after is None:
        return
    most = f"up to {after.largest} attributes"
    count = f"records that are unique on {most} (SUDA2); lower is better"
    yield "special uniques", str(before.records), str(after.records), count
    chance = (
        "chance of a right match in percent, on average, higher for records that are unique on "
        f"few attributes (DIS); the file taken as {100 * after.fraction:.2g} percent of the "
        f"population; lower is better"
    )
    yield "match risk", _two(before.average), _two(after.average), chance


def contribution_rows(before: ModelNote, after: ModelNote) -> list[tuple[str, str, str]]:
    """Each attribute's part in the scores of special uniques, where there are some."""
    if before.special is None or after.special is None or not before.special.records:
        return []
    later = after.special.contributions
    return [
        (name, f"{share:.0f}", f"{later.get(name, 0.0):.0f}")
        for name, share in before.special.contributions.items()
    ]
