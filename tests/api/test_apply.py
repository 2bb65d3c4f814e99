"""`evomask.apply`: frames in, frames of the same library out, what is required holds."""

import pandas as pd
import polars as pl
import pytest

import evomask


@pytest.fixture(scope="module")
def halves():
    from evomask.io.datasets import survey

    people = survey(400).select("age", "sex", "education", "income", "health")
    return people.head(200), people.tail(200)


@pytest.fixture(scope="module")
def result(halves):
    return evomask.protect(
        halves[0], quasi=["age", "sex", "income"], confidential=["health"], require="k=4",
        searches=["recipes"], evaluations=8, seed=2**60,
    )  # fmt: skip


def test_a_recipe_found_on_one_half_masks_the_other(halves, result, tmp_path):
    path = result.write_recipe(tmp_path / "recipe.toml")
    applied = evomask.apply(halves[1], path)
    masked = applied.masked()
    assert isinstance(masked, pl.DataFrame)
    assert masked.columns == halves[1].columns
    assert masked.group_by("age", "sex", "income").len()["len"].min() >= 4
    chosen = result.protection.front[result.chosen - 1]
    assert applied.promised == (round(chosen.loss, 2), round(chosen.risk, 2))
    assert 0 <= applied.risk <= 100


def test_pandas_frames_are_masked_alike(halves, result, tmp_path):
    path = result.write_recipe(tmp_path / "recipe.toml")
    frame = halves[1].to_pandas()
    masked = evomask.apply(frame, path).masked(shuffled=False)
    assert isinstance(masked, pd.DataFrame)
    assert masked.index.equals(frame.index)
    ours = evomask.apply(halves[1], path).masked(shuffled=False)
    assert masked["income"].fillna(-1).tolist() == ours["income"].fill_null(-1).to_list()


def test_the_same_half_gives_the_released_records(halves, result, tmp_path):
    path = result.write_recipe(tmp_path / "recipe.toml")
    again = evomask.apply(halves[0], path)
    assert again.masked(shuffled=False).equals(result.masked(shuffled=False))


def test_identifiers_may_be_missing(halves, tmp_path):
    named = halves[0].with_columns(name=pl.Series([f"p{i}" for i in range(200)]))
    found = evomask.protect(
        named, quasi=["age", "sex", "income"], drop=["name"], searches=["recipes"], evaluations=4,
    )  # fmt: skip
    path = found.write_recipe(tmp_path / "recipe.toml")
    assert evomask.apply(halves[1], path).masked().columns == halves[1].columns


def test_new_columns_are_refused(halves, result, tmp_path):
    path = result.write_recipe(tmp_path / "recipe.toml")
    more = halves[1].with_columns(code=pl.lit(1))
    with pytest.raises(evomask.EvomaskError, match="does not know column 'code'"):
        evomask.apply(more, path)
