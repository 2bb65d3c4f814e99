"""Purposes in words, and the analyses that a file gets for them."""

import numpy as np
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.io.datasets import survey
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.runs.purposes import LIBRARY, _read, expand_purposes

QUASI = {
    Kind.NOMINAL: "region sex marital occupation",
    Kind.ORDINAL: "age education household_size",
    Kind.CONTINUOUS: "other_income wage income area hours",
}


@pytest.fixture(scope="module")
def people() -> Table:
    declared = {
        name: Declaration(kind, Role.QUASI_IDENTIFIER)
        for kind, names in QUASI.items()
        for name in names.split()
    }
    declared["health"] = Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)
    return table_from(survey().select(*declared), declared).take(np.arange(1500))


def expand(table, *uses):
    keep, notes = expand_purposes(AnalysesToPreserve(uses=uses), table)
    assert keep.uses == ()
    return keep, notes


@pytest.mark.parametrize(
    ("text", "title", "analysis"),
    [
        ("regional poverty statistics", "poverty", "arpr(income) by region"),
        ("income inequality", "poverty", "gini(income)"),
        ("gender pay gap", "Earnings", "median(wage) by sex"),
        ("official statistics", "Official population", "region x sex"),
        ("census tables", "Official population", "categories(occupation)"),
        ("health research", "Health research", "health ~ age + sex"),
        ("epidemiology", "Health research", "health x education"),
        ("education", "Education research", "education: mean wage"),
    ],
)
def test_words_find_a_purpose_and_its_columns(people, text, title, analysis):
    keep, (note,) = expand(people, text)
    assert title.lower() in note.lower()
    assert analysis in (*keep.tables, *keep.models, *keep.indicators)
    assert analysis in note
    assert keep.against(people).errors(people)


def test_a_limit_holds_for_every_analysis_of_a_purpose(people):
    keep, _ = expand(people, "regional poverty statistics <= 5 %")
    assert keep.indicators[0] == "arpr(income) by region <= 5 %"
    assert set(keep.limits.values()) == {5.0}
    assert len(keep.limits) == 5


def test_machine_learning_predicts_a_target_from_all_other_columns(people):
    with pytest.raises(EvomaskError, match="needs a column for target; name it as in"):
        expand(people, "machine learning")
    keep, _ = expand(people, "machine learning: target=health")
    assert keep.tables == ("health",)
    (model,) = keep.models
    assert model.startswith("health ~ ")
    assert {"region", "income", "age"} <= set(model.partition("~")[2].replace(" ", "").split("+"))


def test_columns_can_be_named(people):
    keep, _ = expand(people, "poverty: income=wage, place=education")
    assert "arpr(wage) by education" in keep.indicators


def test_analyses_of_the_user_come_after_those_of_the_purpose(people):
    keep, _ = expand_purposes(AnalysesToPreserve(("sex",), uses=("poverty",)), people)
    assert keep.tables == ("sex",)
    assert "gini(income)" in keep.indicators


def test_another_library_is_a_file(people, tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(
        '[pay]\ntitle = "Our pay report"\ncolumns = { pay = "number: wage", `x` = "groups: sex" }\n'
        .replace("`x`", "who") + 'indicators = ["p90({pay}) by {who}"]\n'
    )  # fmt: skip
    keep, _ = expand(people, str(own))
    assert keep.indicators == ("p90(wage) by sex",)
    own.write_text("[pay]\nindicators = 3\n")
    with pytest.raises(EvomaskError, match="not a library of purposes"):
        expand(people, str(own))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gardening", "no known purpose matches the use 'gardening'; known are: Regional"),
        ("poverty: income", "columns are given as NAME=COLUMN"),
        ("poverty: who=sex", "has no 'who'; it has income, place"),
        ("poverty: income=gold", "no column 'gold'"),
        ("poverty: income=sex", "no columns for an analysis"),
        ("nowhere.toml", "there is no library of purposes"),
    ],
)
def test_a_wrong_use_is_refused_in_a_sentence(people, text, why):
    with pytest.raises(EvomaskError, match=why):
        expand(people, text)


def test_every_purpose_of_the_library_suits_some_file(people):
    for purpose in _read(LIBRARY):
        target = ": target=health" if purpose.needs else ""
        assert expand(people, f"{purpose.title}{target}")[0]


def test_a_column_named_like_a_target_is_the_target(people):
    renamed = survey().select("age", "sex", "health").rename({"health": "outcome"})
    table = table_from(renamed.head(1000), {"age": Declaration(Kind.ORDINAL)})
    keep, _ = expand(table, "prediction")
    assert keep.models == ("outcome ~ age + sex",)
