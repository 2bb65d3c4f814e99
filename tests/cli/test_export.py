"""A point as a file, which is not the release."""

import json

import polars as pl


def test_a_point_is_written_and_the_release_stays(evomask, protection, tmp_path):
    before = (protection.folder / "log.jsonl").read_bytes()
    point = protection.answer["front"][-1]
    words = ("export", protection.folder, point["point"], "--out", tmp_path / "point.csv")
    answer = evomask(*words, "--json", "--quiet")
    assert answer.code == 0
    found = json.loads(answer.out)
    assert found["point"]["risk"] == point["risk"]
    masked = pl.read_csv(tmp_path / "point.csv")
    assert masked.height == found["records"] == 60
    assert masked.group_by(masked.columns).len()["len"].min() >= 3
    assert (protection.folder / "log.jsonl").read_bytes() == before
    assert evomask(*words).code == 1


def test_a_point_is_explained_by_its_number(evomask, protection):
    number = protection.answer["front"][0]["point"]
    answer = evomask("explain", protection.folder, number, "--quiet")
    assert answer.out.startswith(f"point {number}  ")
