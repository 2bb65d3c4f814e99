import re
from itertools import pairwise

import msgspec
import numpy as np
import pytest

from evomask.data.chart import Axis, Chart, Series
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.rank_swapping import RankSwapping
from evomask.report import drawing
from evomask.report.attribute_changes import Associations, compare_tables
from evomask.report.charts import analyses_chart, association_chart, matrix_chart
from evomask.report.drawing import bars_svg
from evomask.report.pages import internal_page, map_html, public_page, question_of, residual_risks
from evomask.report.public_record import PublicMatrix, build_public_record
from evomask.report.record import MatrixNote, OperatorNote, Statement
from tests.report.reading import read, words


def matrix_of(size):
    """Categories that mostly stay as they are."""
    names = tuple(f"c{place}" for place in range(size))
    rows = np.where(np.eye(size) > 0, 0.9, 0.1 / (size - 1))
    return MatrixNote(
        "side", names, tuple(map(tuple, rows.tolist())), invariant=False, rare=(False,) * size
    )


MATRIX = matrix_of(8)


@pytest.fixture(scope="module")
def full(record):
    """A record with everything that a report can show."""
    tallies = (OperatorNote("swap", 10, 5, 3), OperatorNote("move", 10, 1, 1))
    searches = tuple(msgspec.structs.replace(s, operators=tallies) for s in record.searches)
    rules = {"income >= 0": 0}
    return msgspec.structs.replace(record, matrices=(MATRIX,), searches=searches, rules=rules)


@pytest.fixture(scope="module")
def pages(full):
    return {"internal": internal_page(full), "public": public_page(build_public_record(full))}


@pytest.fixture(scope="module", params=["internal", "public"])
def page(request, pages):
    return pages[request.param]


@pytest.fixture(scope="module")
def tree(page):
    return read(page)


def test_it_asks_nothing_of_anybody_else(page):
    assert not re.search(r"<(script|link|iframe|object|embed|form)|@import|javascript:", page)
    assert not re.search(r"(src|href|action)=\"(?!#|data:image/png)", page)


def test_it_calls_no_file_anonymous(page):
    assert "anonymous" not in page.lower()
    assert "compliant" not in page.lower()


def test_the_same_record_gives_the_same_bytes(full, pages):
    assert internal_page(full) == pages["internal"]


def test_it_has_a_language_and_a_title(tree):
    assert next(tree.all("html")).attributes["lang"] == "en"
    assert next(tree.all("title")).text


def test_headings_go_down_one_level_at_a_time(tree):
    levels = [int(e.tag[1]) for e in tree.everything() if re.fullmatch("h[1-6]", e.tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_everything_stands_in_the_main_landmark(tree):
    body = next(tree.all("body"))
    assert [child.tag for child in body.children if not isinstance(child, str)] == ["main"]


def test_every_picture_has_a_text_and_a_caption(tree):
    for figure in tree.all("figure"):
        (picture,) = figure.all("svg")
        (caption,) = figure.all("figcaption")
        assert picture.attributes["role"] == "img"
        assert caption.text in " ".join(picture.attributes["aria-label"].split())


def test_every_table_has_a_caption_and_headers_with_a_scope(tree):
    for table in tree.all("table"):
        (caption,) = table.all("caption")
        assert caption.text
        assert next(table.all("thead"))
        assert all(header.attributes.get("scope") in {"col", "row"} for header in table.all("th"))
        assert all(header.text for header in table.all("th"))


def test_rows_are_as_wide_as_their_table(tree):
    for table in tree.all("table"):
        widths = {
            sum(int(c.attributes.get("colspan", 1)) for c in row.children if not isinstance(c, str))
            for row in table.all("tr")
        }
        assert len(widths) == 1, table.text[:80]


def test_names_are_used_once_and_exist_where_they_are_used(tree):
    names = [e.attributes["id"] for e in tree.everything() if "id" in e.attributes]
    used = [
        e.attributes["aria-labelledby"]
        for e in tree.everything()
        if "aria-labelledby" in e.attributes
    ]
    assert len(names) == len(set(names))
    assert set(used) <= set(names)


def test_pictures_refer_to_what_is_in_them(page):
    names = set(re.findall(r' id="([^"]+)"', page))
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', page))
    assert {one or other for one, other in used} <= names


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * d for d in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_texts_stand_out_from_every_background(page):
    style = page.split("<style>")[1].split("</style>")[0]
    texts = re.findall(r"[; {]color: (#[0-9a-f]+)", style)
    grounds = re.findall(r"background: (#[0-9a-f]+)", style)
    assert texts
    assert grounds
    for text in texts:
        for ground in grounds:
            assert (luminance(ground) + 0.05) / (luminance(text) + 0.05) >= 4.5, (text, ground)


@pytest.mark.parametrize(
    "told",
    ["20261116", "disclosure risk", "Held-out attacks", "singling out", "sha256",
     "violations", "Budget per search", "Operators of each search", "best score",
     "Transition", "the suggested point"],
)  # fmt: skip
def test_the_internal_report_tells(pages, told):
    assert told in words(pages["internal"])


@pytest.mark.parametrize(
    "told",
    ["information loss", "shared by at least 3 records", "sha256",
     "1 identifying attribute was removed", "g P = f", "order of the records is random"],
)  # fmt: skip
def test_the_public_report_tells(pages, told):
    assert told in words(pages["public"])


def test_values_cannot_smuggle_in_markup(record):
    wicked = msgspec.structs.replace(record, notes=("<script>alert(1)</script>",))
    assert "<script" not in internal_page(wicked)


def wide_table(n_attributes, n_records=400):
    rng = np.random.default_rng(1)
    names = [f"attribute_{i:02d}" for i in range(n_attributes)]
    schema = Schema(
        tuple(Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=2) for n in names)
    )
    return Table(schema, {name: rng.lognormal(5, 2, n_records) for name in names})


def test_fifty_attributes_fit_in_three_megabytes(record):
    table = wide_table(50)
    masked = RankSwapping(table.schema.names, 20).mask(table, np.random.default_rng(1))
    found = compare_tables(table, masked)
    wide = msgspec.structs.replace(
        record,
        attributes=found.attributes,
        spreads=found.spreads,
        associations=found.associations,
    )
    page = internal_page(wide)
    assert len(found.spreads) == 50
    assert len(page.encode()) < 3_000_000


def test_a_notebook_gets_the_map_with_its_reading(done):
    drawn = map_html(done.record.points)
    (figure,) = read(drawn).all("figure")
    assert next(figure.all("figcaption")).text.startswith("The chosen file has a loss of")
    assert "<script" not in drawn


@pytest.mark.parametrize(
    "made", [internal_page, lambda record: public_page(build_public_record(record))]
)
def test_what_was_changed_after_the_matrices_is_told(full, made):
    (matrix,) = full.matrices
    again = msgspec.structs.replace(matrix, repaired=12.3)
    assert "changed again" not in words(made(full))
    told = words(made(msgspec.structs.replace(full, matrices=(again,))))
    assert "up to 13 % of the cells of side were changed again" in told


def test_the_public_report_limits_the_correction_where_cells_were_changed_again(full):
    again = msgspec.structs.replace(full.matrices[0], repaired=12.3)
    told = words(public_page(build_public_record(msgspec.structs.replace(full, matrices=(again,)))))
    assert "with many cells changed again the estimate is off" in told
    assert "the estimate is off" not in words(public_page(build_public_record(full)))


def with_attributes(record, **changes):
    notes = tuple(msgspec.structs.replace(one, **changes) for one in record.attributes)
    return msgspec.structs.replace(record, attributes=notes)


def test_cells_that_stand_for_several_values_are_explained_where_there_are_some(record):
    plain = with_attributes(record, generalized=0.0, suppressed=0)
    assert "any value from a to c" not in words(public_page(build_public_record(plain)))
    vague = with_attributes(record, generalized=40.0)
    assert "any value from a to c" in words(public_page(build_public_record(vague)))
    assert "counts in part for each of them" in words(internal_page(vague))


def test_the_public_report_tells_how_far_numbers_moved_in_steps_of_ten_percent(record):
    large = msgspec.structs.replace(
        record, input=msgspec.structs.replace(record.input, records=500)
    )
    moved = build_public_record(with_attributes(large, shift=31.62))
    assert {one.shift for one in moved.attributes} == {40}
    assert "mean shift" in words(public_page(moved))


def test_a_file_that_nobody_attacked_says_so(record):
    told = words(internal_page(msgspec.structs.replace(record, attacks=())))
    assert "None was run: the search was stopped early" in told


def test_what_a_learned_model_does_is_told_once(record):
    (one, *_) = (attack for attack in record.attacks if attack.name.startswith("learned"))
    twice = msgspec.structs.replace(record, attacks=(one, one))
    assert words(internal_page(twice)).count(one.meaning) == 1


def test_every_search_says_what_it_does(record):
    told = words(internal_page(record))
    assert record.searches
    assert all(one.does and one.does in told for one in record.searches)


def test_every_section_can_be_gone_to_from_the_top(tree):
    (contents,) = tree.all("nav")
    links = [link.attributes["href"].removeprefix("#") for link in contents.all("a")]
    assert links == [section.attributes["aria-labelledby"] for section in tree.all("section")]


@pytest.mark.parametrize(("size", "drawn"), [(2, 0), (6, 0), (7, 1), (31, 0)])
def test_matrices_that_a_table_shows_best_are_not_drawn(record, size, drawn):
    page = internal_page(msgspec.structs.replace(record, matrices=(matrix_of(size),)))
    assert page.count("Transition probabilities of side. A category stays") == drawn


def test_equal_probabilities_are_told_once():
    reading = matrix_chart(PublicMatrix("side", ("a", "b"), ((0.2, 0.8), (0.8, 0.2)))).reading
    assert reading == "A category stays with a probability of 0.20."


@pytest.mark.parametrize(("after", "ends"), [(0.45, (-0.2, 0.2)), (0.9, (-0.5, 0.5))])
def test_small_changes_of_associations_look_small(after, ends):
    found = Associations(("a", "b"), ((1.0, 0.4), (0.4, 1.0)), ((1.0, after), (after, 1.0)))
    assert association_chart(found).heat.ends == pytest.approx(ends)


@pytest.mark.parametrize(
    "made", [internal_page, lambda record: public_page(build_public_record(record))]
)
def test_matrices_too_large_for_a_page_are_named(record, made):
    told = words(made(msgspec.structs.replace(record, matrices=(matrix_of(31),))))
    assert re.search(r"Too large for a page, and in record\S*json : side", told)


SAID = Statement(
    purpose="research on towns",
    legal_basis="section 12 of the statistics act",
    recipients="universities of the country",
    safeguards="a contract that forbids linking",
    earlier="a table of incomes in 2023",
    by="the steward",
)


def test_the_internal_report_answers_what_an_assessment_asks(record):
    page = internal_page(msgspec.structs.replace(record, statement=SAID, released_before=(3, 7)))
    assert all(words in page for words in SAID.as_json().values())
    assert "this run released before: file 3, file 7" in page


def test_the_public_report_tells_what_may_be_told_alone(record):
    page = public_page(build_public_record(msgspec.structs.replace(record, statement=SAID)))
    for told in (SAID.purpose, SAID.legal_basis, SAID.recipients, SAID.safeguards, SAID.by):
        assert told in page
    assert SAID.earlier not in page


def test_the_risk_that_is_left_is_told_in_the_three_questions(record):
    rows = residual_risks(record)
    assert [found.question for _, found in rows] == ["singling out", "linkability", "inference"]
    for _, found in rows:
        others = [a for a in record.attacks if question_of(a) == found.question]
        assert found.gain >= max(a.value - a.baseline for a in others)


def test_questions_that_nobody_tried_are_told_as_such(record):
    bare = msgspec.structs.replace(record, attacks=())
    assert [found is None for _, found in residual_risks(bare)] == [True, False, False]
    assert "not tried" in internal_page(bare)


@pytest.mark.parametrize(
    ("value", "text"),
    [(146_800, "146,800"), (1234.5, "1,234"), (12.34567, "12.35"), (0, "0"), (1e-7, "below 0.001")],
)
def test_numbers_are_never_powers_of_ten(value, text):
    assert drawing.format_number(value) == text


def test_values_of_bars_are_whole_and_inside_the_picture():
    counts = (1_468_000.0, 3.0)
    chart = Chart(
        "people", "People", "Many.", Axis("place", ("here", "there")), Axis("people"),
        (Series("people", "bars", (0.0, 1.0), counts),),
    )  # fmt: skip
    drawn = bars_svg(chart)
    assert ">1,468,000</text>" in drawn
    left = max(float(x) for x in re.findall(r'x="([\d.]+)"[^>]*>1,468,000', drawn))
    assert left + 7 * len("1,468,000") <= 480
    assert not re.search(r"\d\.?\d*e[+-]?\d", drawn)


def test_wide_tables_scroll_in_a_box_of_their_own(page):
    for table in re.findall(
        r"(?:<div class=\"wide\"[^>]*>\s*)?<table[^>]*>.*?</table>", page, re.S
    ):
        if table.count('scope="col"') >= 5:
            assert table.startswith('<div class="wide" tabindex="0" role="region" aria-label="')


def test_boxes_that_scroll_have_names_of_their_own(page):
    names = re.findall(r'<div class="wide"[^>]*aria-label="([^"]*)"', page)
    assert len(set(names)) == len(names)


def erring(point):
    return msgspec.structs.replace(point, table_error=point.loss / 2, model_error=point.risk / 3)


def test_points_are_drawn_as_parallel_coordinates_where_something_must_survive(record):
    points = record.points
    front, chosen = tuple(map(erring, points.front)), erring(points.chosen)
    points = msgspec.structs.replace(points, front=front, chosen=chosen)
    chart = analyses_chart(points)
    assert chart.x.categories == ("risk", "loss", "table error", "model error")
    page = internal_page(msgspec.structs.replace(record, points=points))
    assert "Loss, risk and errors of preserved analyses of every point" in page
    assert chart.reading in page


def test_where_nothing_must_survive_loss_and_risk_are_enough(record):
    assert analyses_chart(record.points) is None
