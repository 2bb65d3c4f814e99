"""Files: brought under opaque names, described, undone, given trees; nothing escapes the folder."""

import asyncio
import gzip
import json
import sys
import tomllib

import pytest

from evomask.web.processes import Commands, FailedError
from tests.cli.conftest import write_town
from tests.io.bombs import far_cell
from tests.web.conftest import asking, until


def test_a_file_is_kept_for_its_owner_under_a_name_that_nobody_chose(client, served, town):
    (path,) = (served.folder / ".files" / town).glob("data.*")
    assert path.stat().st_mode & 0o777 == 0o600
    assert client.get(f"/api/files/{town}").json()["name"] == "town.csv"


@pytest.mark.parametrize(
    "name", ["../../../up.csv", "..\\..\\up.csv", "/etc/up.csv", "a\x00up.csv"]
)
def test_a_name_is_never_a_path(client, served, name):
    before = {p for p in served.folder.parent.rglob("*") if ".files" not in p.parts}
    answer = client.post("/api/files", params={"name": name}, content=b"a,b\n1,2\n")
    after = {p for p in served.folder.parent.rglob("*") if ".files" not in p.parts}
    assert answer.status_code == 201
    assert "/" not in answer.json()["name"]
    assert answer.json()["name"].endswith("up.csv")
    assert before == after


def test_what_is_no_data_file_is_refused_and_not_kept(client, served):
    assert client.post("/api/files?name=run.exe", content=b"x").status_code == 400
    assert client.post("/api/files?name=empty.csv", content=b"").status_code == 400
    assert not list((served.folder / ".files").iterdir())


def test_a_file_that_lies_in_the_folder_is_offered_and_stays_there(client, served):
    path = served.folder / "mine.csv"
    path.write_text("age,town\n" + "".join(f"{i % 50},{'ab'[i % 2]}\n" for i in range(60)))
    (file,) = client.get("/api/files").json()
    assert client.get(f"/api/files/{file['id']}/columns").json()["records"] == 60
    client.delete(f"/api/files/{file['id']}")
    assert path.exists()


def test_a_link_in_the_folder_is_not_followed(client, served, tmp_path):
    (tmp_path / "else.csv").write_text("a\n1\n")
    (served.folder / "link.csv").symlink_to(tmp_path / "else.csv")
    assert client.get("/api/files").json() == []


def test_a_bomb_is_a_sentence_and_the_server_answers_on(client, tmp_path):
    bomb = far_cell(tmp_path / "a.xlsx").read_bytes()
    number = client.post("/api/files?name=a.xlsx", content=bomb).json()["id"]
    answer = client.get(f"/api/files/{number}/columns")
    assert answer.status_code == 400
    assert "spans 1048576 rows" in answer.json()["error"]
    assert client.get("/api/files").status_code == 200


def test_a_file_that_cannot_be_read_says_so(client):
    number = client.post("/api/files?name=a.parquet", content=b"no parquet").json()["id"]
    answer = client.get(f"/api/files/{number}/columns")
    assert answer.status_code == 400
    assert "cannot be read" in answer.json()["error"] or "not" in answer.json()["error"]


def test_columns_come_with_kind_role_and_reasons_and_no_values(client, town):
    seen = client.get(f"/api/files/{town}/columns").json()
    columns = {column["name"]: column for column in seen["columns"]}
    assert columns["name"]["role"] == "identifier"
    assert columns["name"]["cells"] == []
    assert columns["age"]["why"]
    assert "p17" not in json.dumps(seen)


def test_a_role_is_changed_and_undone(client, town):
    before = client.get(f"/api/files/{town}/columns").json()
    wish = {"columns": [{"name": "income", "kind": "continuous", "role": "confidential"}]}
    after = client.put(f"/api/files/{town}/schema", json=wish).json()
    roles = {column["name"]: column["role"] for column in after["columns"]}
    assert roles["income"] == "confidential"
    schema = tomllib.loads(client.get(f"/api/files/{town}/schema").text)
    assert schema["attributes"]["income"]["role"] == "confidential"
    undone = client.post(f"/api/files/{town}/schema/undo").json()
    assert undone["columns"] == before["columns"]


def test_what_the_records_contradict_is_refused_and_changes_nothing(client, town):
    wish = {"columns": [{"name": "school", "kind": "continuous", "role": "other"}]}
    before = client.get(f"/api/files/{town}/schema").text
    assert client.put(f"/api/files/{town}/schema", json=wish).status_code == 400
    assert client.put(f"/api/files/{town}/schema", json={"columns": [], "edits": ["x <"]}).json()[
        "error"
    ]
    assert client.get(f"/api/files/{town}/schema").text == before


def test_uniques_are_counted_as_columns_are_marked(client, town):
    one = client.post(f"/api/files/{town}/uniques", json={"columns": ["school"]}).json()
    all_ = client.post(f"/api/files/{town}/uniques", json={"columns": ["age", "income"]}).json()
    assert one == {
        "records": 60, "uniques": 0, "k": 20, "adds": {"school": 0},
        "sizes": {"1": 0, "2": 0, "3 to 4": 0, "5 to 9": 0, "10 or more": 60},
    }  # fmt: skip
    assert all_["uniques"] == 60
    assert client.post(f"/api/files/{town}/uniques", json={"columns": ["x"]}).status_code == 400


def test_a_tree_is_previewed_kept_and_downloaded(client, town):
    path = f"/api/files/{town}/tree?column=age"
    ages = [{"name": "age", "kind": "ordinal", "role": "quasi-identifier"}]
    client.put(f"/api/files/{town}/schema", json={"columns": ages})
    assert client.get(path).status_code == 400
    tree = client.post(path, json={"by": "intervals=10,20"}).json()
    assert tree["levels"][0] == 50
    assert client.get(path).status_code == 400
    client.post(path, json={"by": "intervals=10,20", "keep": True})
    assert client.get(path).json() == tree
    lines = client.get(f"/api/files/{town}/tree/download?column=age").text.splitlines()
    assert len(lines) == 50
    seen = {c["name"]: c for c in client.get(f"/api/files/{town}/columns").json()["columns"]}
    assert seen["age"]["levels"] == tree["levels"]


def test_a_tree_of_ones_own_must_be_complete(client, town):
    path = f"/api/files/{town}/tree?column=school"
    whole = "a;low;*\nb;low;*\nc;high;*\n"
    missing = client.post(path, json={"text": "a;low;*\nb;low;*\n", "keep": True})
    assert missing.status_code == 400
    assert "school" in missing.json()["error"]
    assert client.post(path, json={"text": whole, "keep": True}).json()["levels"] == [3, 2, 1]


def test_the_bundled_survey_comes_with_its_schema(client):
    number = client.post("/api/files/survey").json()["id"]
    seen = client.get(f"/api/files/{number}/columns").json()
    assert seen["records"] == 3000
    assert {c["role"] for c in seen["columns"]} >= {"stratum", "weight", "household"}
    assert all(not column["trouble"] for column in seen["columns"])


def test_what_the_file_gives_away_is_found_out_once(client, town):
    assert client.get(f"/api/files/{town}/risk").json()["state"] == "none"
    client.post(f"/api/files/{town}/risk")
    done = until(
        lambda: client.get(f"/api/files/{town}/risk").json(), lambda w: w["state"] == "done"
    )
    assert done["result"]["records"] == 60
    assert done["result"]["attacks"] == {}


def test_the_outlook_tells_seconds_for_a_file_and_who_takes_part(client, town):
    client.post(f"/api/files/{town}/outlook")
    look = lambda: client.get(f"/api/files/{town}/outlook").json()  # noqa: E731
    found = until(look, lambda work: work["state"] != "working")
    assert found["state"] == "done", found
    assert found["result"]["seconds"] > 0
    assert {"recipes", "files"} <= set(found["result"]["members"])


def test_a_program_that_breaks_tells_a_sentence_and_none_of_its_words():
    broken = [sys.executable, "-c", "raise ValueError('Ada earns 4,711')"]
    with pytest.raises(FailedError, match=r"^this could not be done; try again$"):
        asyncio.run(Commands().answer(broken))


def test_a_removed_file_is_gone(client, served, town):
    assert client.delete(f"/api/files/{town}").status_code == 204
    assert client.get(f"/api/files/{town}").status_code == 404
    assert not list((served.folder / ".files").iterdir())


def test_notes_are_for_their_owner_alone_and_no_draft_of_them_stays(client, served, town):
    client.get(f"/api/files/{town}/columns")
    home = served.folder / ".files" / town
    notes = [*home.iterdir(), *(served.folder / ".web").iterdir()]
    assert {"about.json", "schema.toml", "key"} <= {path.name for path in notes}
    assert {path.stat().st_mode & 0o777 for path in notes if path.is_file()} == {0o600}
    assert not [path.name for path in notes if path.name.startswith(".")]


def test_what_a_killed_server_left_of_a_file_goes_when_it_is_served_again(served):
    left = served.folder / ".files" / ("ab" * 8)
    left.mkdir()
    (left / "data.csv").write_text("name,age\nhalf a rec")
    with asking(served) as client:
        assert client.get("/api/files").json() == []
    assert not left.exists()


def test_an_earlier_schema_is_kept_whole_beside_the_new_one(client, served, town):
    home = served.folder / ".files" / town
    client.get(f"/api/files/{town}/columns")
    before = (home / "schema.toml").read_text()
    wish = {"columns": [{"name": "age", "kind": "continuous", "role": "other"}]}
    client.put(f"/api/files/{town}/schema", json=wish)
    assert (home / "schema-before-000001.toml").read_text() == before
    assert (home / "schema.toml").read_text() != before


@pytest.mark.parametrize("ending", [".pq", ".xls", ".xlsb", ".xlsm", ".ods", ".xpt", ".csv.gz"])
def test_every_format_that_the_command_reads_can_be_uploaded(client, ending):
    answer = client.post("/api/files", params={"name": f"people{ending}"}, content=b"any")
    assert answer.status_code == 201


def test_compressed_text_is_read(client, tmp_path):
    content = gzip.compress(write_town(tmp_path).read_bytes())
    file = client.post("/api/files", params={"name": "town.csv.gz"}, content=content).json()
    assert client.get(f"/api/files/{file['id']}/columns").json()["records"] == 60
