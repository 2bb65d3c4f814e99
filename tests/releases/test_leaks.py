"""What everybody may read tells of nobody: attacks on the public record and page."""

import json
import re

import msgspec
import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, polars_from, table_from
from evomask.data.schema import Kind, Role
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.grid import first_population
from evomask.masking.randomization.formula_pram import FormulaPram
from evomask.masking.randomization.pram import (
    category_frequencies,
    constant_diagonal,
    frequency_diagonal,
    off_diagonal,
)
from evomask.measures.catalogue import applicable_measures
from evomask.report.attribute_changes import associations, compare_tables
from evomask.report.build import matrix_note, measure_note
from evomask.report.pages import public_page
from evomask.report.public_record import PublicRecord, build_public_record
from evomask.report.record import FileNote, decode_record, encode_record
from evomask.runs.protect import protect_file
from tests.runs.test_protect import job_for, write_town

RARE_TOWN, RARE_ILLNESS, FORTUNE = "Farhamlet", "Curse of Ra", 987_654.0
DECLARED = {
    "age": Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER),
    "sex": Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER),
    "town": Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER),
    "income": Declaration(Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0),
    "illness": Declaration(Kind.NOMINAL, Role.CONFIDENTIAL),
}


def people(rng):
    """A file in which one person is from a town of their own, rich, and ill as nobody else."""
    n = int(rng.choice([24, 40, 90, 150, 400, 1200]))
    frame = {
        "age": rng.integers(20, 60, n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "town": rng.choice(["Aa", "Bb", "Cc"], n, p=[0.6, 0.3, 0.1]).tolist(),
        "income": rng.integers(1000, 3000, n).astype(float).tolist(),
        "illness": rng.choice(["none", "flu"], n).tolist(),
    }
    planted = int(rng.integers(n))
    for name, value in (("town", RARE_TOWN), ("income", FORTUNE), ("illness", RARE_ILLNESS)):
        frame[name][planted] = value
    frame["age"][planted] = 117
    return table_from(pl.DataFrame(frame), DECLARED), planted


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A record to fill with what is known of other files."""
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run", evaluations=10, searches=("recipes",))).record


def published(template, seed, release=0):
    """An original, one of its masked files, and the record of releasing that."""
    original, planted = people(np.random.default_rng([seed, 5]))
    rng = np.random.default_rng([seed, 6, release])
    methods = [entry.method for entry in first_population(original)]
    masked = methods[int(rng.integers(len(methods)))].mask(original, rng)
    masked = Enforcement.of(original, Requirement(k=int(rng.choice([2, 3, 5]))))(masked)
    side_by_side = compare_tables(original, masked)
    names = original.schema.quasi_identifiers
    losses = {
        name: measure.against(original)(masked)
        for name, measure in applicable_measures(original.schema, names, len(original)).items()
        if measure_note(name, 0.0).side == "loss"
    }
    record = msgspec.structs.replace(
        template,
        input=FileNote("people.csv", "", len(original), len(original.schema)),
        output=FileNote("people.csv", "", int((~masked.suppressed).sum()), 5),
        suppressed_records=int(masked.suppressed.sum()),
        attributes=side_by_side.attributes,
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        measures=tuple(measure_note(name, value) for name, value in losses.items()),
        matrices=(), kept=(),
    )  # fmt: skip
    return original, planted, masked, record


def rare_cells_told(original, masked, text):
    """Values of the planted person that the text names and the released file does not hold."""
    released = polars_from(masked).write_csv()
    secrets = [RARE_TOWN, "987654", "987,654", "117"]
    found = [s for s in secrets if re.search(rf"(?<![\d.]){re.escape(s)}(?![\d.])", text)]
    return [s for s in found if s.replace(",", "") not in released] + [
        RARE_ILLNESS for _ in [0] if RARE_ILLNESS in text
    ]


def counts_pinned(shares, step, n_records):
    """Cells whose number of original records is known too well, by a share in steps.

    Ten numbers of records or more have the same share; at 0 and at 100 percent half of them.
    """
    half = step / 2
    return [
        share
        for share in shares
        if (min(100, share + half) - max(0, share - half)) * n_records / 100 < 5
    ]


def small_groups_by_differencing(shown, other):
    """Cells of fewer than ten records by taking the shares of two reports from one another."""
    pairs = {(s.attribute, s.cells): s for s in shown.spreads}
    return [
        spread.attribute
        for spread in other.spreads
        if (spread.attribute, spread.cells) in pairs
        and pairs[spread.attribute, spread.cells].before != spread.before
    ]


def ends_beyond_ten(original, shown):
    """Numbers in the names of cells beyond which fewer than ten people lie."""
    wrong = []
    for spread in shown.spreads:
        if spread.attribute not in ("age", "income"):
            continue
        values = original.middles(spread.attribute)
        if spread.attribute == "age":
            values = np.array([float(c) for c in original.attribute("age").categories])[
                original.codes("age")
            ]
        for cell in spread.cells:
            for end in re.findall(r"\d[\d,.]*", cell):
                number = float(end.replace(",", ""))
                if min((values >= number).sum(), (values < number).sum()) < 10:
                    wrong.append(cell)
    return wrong


def attacked(template, seed):
    """What any of the attacks reads of the planted person."""
    original, _, masked, record = published(template, seed)
    shown = build_public_record(record)
    text = encode_record(shown).decode()
    read = list(rare_cells_told(original, masked, text))
    for spread in shown.spreads:
        read += counts_pinned(spread.before, shown.step, len(original))
    read += ends_beyond_ten(original, shown)
    if shown.associations:
        again = associations(masked, masked, shown.associations.attributes)
        read += [] if again.after == shown.associations.values else ["associations"]
    if len(original) < 100:
        told = (shown.spreads, shown.losses, shown.kept, shown.matrices)
        read += [part for part in told if part]
        read += [a.name for a in shown.attributes if a.shift is not None]
    other = build_public_record(published(template, seed, release=1)[3])
    read += small_groups_by_differencing(shown, other)
    return read


def test_no_attack_reads_a_planted_person(template):
    assert [seed for seed in range(20) if attacked(template, seed)] == []


@pytest.mark.slow
def test_no_attack_reads_a_planted_person_of_two_hundred_files(template):
    assert [seed for seed in range(1000, 1200) if attacked(template, seed)] == []


def test_age_and_sex_of_one_ill_person_among_forty_cannot_be_read(template):
    """With the associations of the original, one candidate alone would fit what is published."""
    rng = np.random.default_rng(3)
    ages, sexes = rng.integers(20, 60, 40).tolist(), rng.choice(["f", "m"], 40).tolist()
    texts = set()
    for place in range(40):
        ill = ["rare" if i == place else "none" for i in range(40)]
        frame = pl.DataFrame({"age": ages, "sex": sexes, "illness": ill})
        original = table_from(frame, {n: DECLARED[n] for n in ("age", "sex", "illness")})
        masked = original.with_columns(
            {"age": np.zeros(40, dtype=np.int32), "illness": np.zeros(40, dtype=np.int32)}
        )
        side_by_side = compare_tables(original, masked)
        record = msgspec.structs.replace(
            template,
            input=FileNote("a", "", 40, 3),
            attributes=side_by_side.attributes,
            spreads=side_by_side.spreads,
            associations=side_by_side.associations,
        )
        shown = build_public_record(record)
        texts.add(encode_record(msgspec.structs.replace(shown, attributes=())))
    assert len(texts) == 1


def test_the_page_is_drawn_from_the_public_record_alone(template):
    """So coordinates of charts hold no more than the rounded numbers do."""
    *_, record = published(template, 5)
    shown = build_public_record(record)
    again = msgspec.json.decode(encode_record(shown), type=PublicRecord)
    assert public_page(again) == public_page(shown)


def test_heights_of_bars_are_those_of_rounded_shares(template):
    several = (published(template, seed) for seed in range(20))
    *_, record = next(found for found in several if len(found[0]) == 400 and found[3].spreads)
    exact = build_public_record(record)
    moved = msgspec.structs.replace(
        record,
        spreads=tuple(
            msgspec.structs.replace(s, before=tuple(b + 0.01 for b in s.before))
            for s in record.spreads
        ),
    )
    assert public_page(build_public_record(moved)) == public_page(exact)


def test_the_public_record_in_a_folder_is_as_coarse(template, tmp_path):
    shown = json.loads(encode_record(build_public_record(template)))
    assert shown["small"] is True
    assert shown["spreads"] == shown["losses"] == []
    assert decode_record(encode_record(template)).spreads


def test_a_matrix_that_a_known_formula_makes_of_the_frequencies_is_not_told(template):
    """Solving the formula for the frequencies would give every count to the record."""
    files = (people(np.random.default_rng([seed, 5]))[0] for seed in range(100))
    original = next(table for table in files if len(table) == 400)
    frequencies = category_frequencies(original, "town")
    told = {
        design.__name__: matrix_note(original, "town", design(frequencies, 0.3))
        for design in (off_diagonal, frequency_diagonal, constant_diagonal)
    }
    record = msgspec.structs.replace(
        template, input=FileNote("a", "", 400, 5), matrices=tuple(told.values())
    )
    shown = build_public_record(record).matrices
    assert len(shown) == 1
    assert len(build_public_record(record, "all").matrices) == 3


@pytest.mark.parametrize(("formula", "designed"), [("freq_j / N", True), ("1 - same", False)])
def test_a_formula_that_reads_frequencies_keeps_its_matrix_from_the_public(formula, designed):
    original, _ = people(np.random.default_rng(5))
    matrix = FormulaPram(("town",), formula, 0.5).matrix(original, "town")
    assert matrix_note(original, "town", matrix, formula=formula).designed is designed
