"""Every masked table that can be written can be read back."""

import numpy as np
import pytest

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.io.masked_tables import masked_version
from evomask.io.tables import read_source, write_table
from evomask.masking.recoding.group_values import interval_cells, set_cells
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from tests.measures.files import perturbed
from tests.tables import QUASI, mixed

TABLE = mixed(40)
NAMES = TABLE.schema.quasi_identifiers


def read_back(masked, tmp_path, hierarchies=None):
    path = tmp_path / "masked.csv"
    write_table(masked, path)
    return masked_version(TABLE, read_source(path), hierarchies)


def same_pair(masked, found):
    for measure in (InformationLoss(NAMES), DisclosureRisk(NAMES)):
        read = measure.against(TABLE)
        assert read(found) == pytest.approx(read(masked))


def test_a_perturbed_file(tmp_path):
    masked = perturbed(TABLE, NAMES)
    same_pair(masked, read_back(masked, tmp_path))


def test_sets_of_categories_in_order_or_not(tmp_path):
    masked = TABLE
    rng = np.random.default_rng(1)
    for name in ("school", "region"):
        leaves = rng.random((40, 4)) < 0.4
        leaves[np.arange(40), TABLE[name]] = True
        masked = masked.with_recoded(name, *set_cells(TABLE.attribute(name), leaves))
    same_pair(masked, read_back(masked, tmp_path))


def test_intervals_numbers_and_missing_values(tmp_path):
    values = TABLE["income"]
    width = np.where(np.arange(40) % 2, 1000.0, 0.0)
    cells = interval_cells(TABLE.attribute("income"), values - width, values + width)
    masked = TABLE.with_recoded("income", *cells)
    same_pair(masked, read_back(masked, tmp_path))


def test_names_in_a_hierarchy(tmp_path):
    levels = (TABLE.attribute("region").categories, ("land", "land", "coast", "unknown"))
    tree = Hierarchy(levels[0], levels)
    codes = tree.ancestors(1)[TABLE.codes("region")]
    masked = TABLE.with_recoded("region", codes, tree.recoding(1))
    same_pair(masked, read_back(masked, tmp_path, {"region": tree}))


def test_a_suppressed_number_may_be_any(tmp_path):
    path = tmp_path / "masked.csv"
    path.write_text('a\n*\n2\n"[1,3]"\n', encoding="utf-8")
    schema = Schema((Attribute("a", Kind.CONTINUOUS, QUASI),))
    found = masked_version(Table(schema, {"a": np.array([1.0, 2, 3])}), read_source(path))
    cells = found.recodings["a"]
    ends = dict(zip(cells.labels, zip(cells.low, cells.high, strict=True), strict=True))
    assert ends == {"*": (1, 3), "2": (2, 2), "[1,3]": (1, 3)}


def test_a_range_may_have_commas_in_its_names(tmp_path):
    path = tmp_path / "masked.csv"
    path.write_text('x\n"[a,b,c]"\n"a,b"\n', encoding="utf-8")
    schema = Schema((Attribute("x", Kind.ORDINAL, QUASI, ("a,b", "c", "d")),))
    found = masked_version(Table(schema, {"x": np.array([0, 1])}), read_source(path))
    assert found.recodings["x"].leaves[found["x"][0]].tolist() == [True, True, False]


@pytest.mark.parametrize("written", ["e", "[a,e]", "{a,e}", "[a]"])
def test_what_cannot_be_understood_is_named(tmp_path, written):
    path = tmp_path / "masked.csv"
    path.write_text(f'x\na\n"{written}"\n', encoding="utf-8")
    schema = Schema((Attribute("x", Kind.ORDINAL, QUASI, ("a", "b")),))
    with pytest.raises(DataError, match="'x' of the masked file holds in record 2 a value outside"):
        masked_version(Table(schema, {"x": np.array([0, 1])}), read_source(path))


@pytest.mark.parametrize("written", ["tall", "[3,1]", "[1,2,3]", "[1,inf]"])
def test_a_number_that_is_none_is_named(tmp_path, written):
    path = tmp_path / "masked.csv"
    path.write_text(f'a\n1\n"{written}"\n', encoding="utf-8")
    schema = Schema((Attribute("a", Kind.CONTINUOUS, QUASI),))
    with pytest.raises(DataError, match="'a' of the masked file holds in record 2 a value outside"):
        masked_version(Table(schema, {"a": np.array([1.0, 2])}), read_source(path))
