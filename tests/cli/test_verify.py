"""`evomask verify` on the command line, and what goes with it."""

import json


def test_a_release_that_holds_ends_well(evomask, protection):
    answer = evomask("verify", protection.folder, "--json", "--quiet")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["holds"] is True
    held = {check["check"]: check["holds"] for check in found["checks"]}
    assert held["guarantees"] is True
    assert held["signature"] is None


def test_a_release_that_does_not_hold_ends_with_1(evomask, protection):
    (protection.folder / "masked" / "town.csv").write_text("age,income,school\n1,2,a\n")
    answer = evomask("verify", protection.folder)
    assert answer.code == 1
    assert "guarantees  FAILS" in answer.out
    assert "THE RELEASE IS NOT VALID" in answer.out


def test_a_folder_without_a_release_is_refused(evomask, tmp_path):
    answer = evomask("verify", tmp_path)
    assert answer.code == 1
    assert "holds no run" in answer.err


def test_a_release_is_signed_with_a_key(evomask, protection, tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o600)
    assert evomask("report", protection.folder, "--key-file", key).code == 0
    answer = evomask("verify", protection.folder, "--key-file", key)
    assert answer.code == 0
    assert "signature   holds  made with this key" in answer.out


def test_columns_that_look_identifying_are_refused_in_a_sentence(evomask, tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = [f"ada{i}@example.org,{i % 5}" for i in range(30)]
    path.write_text("contact,x\n" + "\n".join(rows) + "\n")
    answer = evomask("mask", path, "--quasi", "x", "-k", 3, "--out", out)
    assert answer.code == 1
    assert "column 'contact' holds e-mail addresses and would be released unchanged" in answer.err
    assert (
        evomask("mask", path, "--quasi", "x", "-k", 3, "--out", out, "--keep", "contact").code == 0
    )
