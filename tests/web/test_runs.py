"""Runs by the interface: asked for, followed, compared, released, signed, checked, taken away."""

import json
import os
import shutil

import pytest

from tests.web.conftest import asking, until

TRIED = 6
"""Whole files among the eight evaluations of the run; the others bred candidates."""


def test_a_run_of_the_command_line_is_there(client, run):
    (seen,) = client.get("/api/runs").json()
    assert seen["name"] == run
    assert seen["state"] == "finished"
    assert seen["file"] == "town.csv"
    assert seen["released"] == seen["best"]["point"]


def test_its_points_lie_on_the_map(client, run):
    detail, points = (
        client.get(f"/api/runs/{run}").json(),
        client.get(f"/api/runs/{run}/points").json(),
    )
    assert detail["front"] == points["front"]
    assert len(points["tried"]) == detail["tried"] == TRIED
    assert points["original"]["loss"] == 0
    assert points["original"]["risk"] > 50
    assert {(p["loss"], p["risk"]) for p in points["simple"]} <= set(map(tuple, points["tried"]))
    losses = [point["loss"] for point in points["front"]]
    assert losses == sorted(losses)


def test_a_name_that_is_no_run_is_not_found(client, run):
    for name in ("..", "%2e%2e", "nobody", ".web", "by-hand%2f.."):
        assert client.get(f"/api/runs/{name}").status_code in {404, 405}, name


def first_news(client, run, **headers):
    """The first event of a stream; the rest is not waited for."""
    with client.stream("GET", f"/api/runs/{run}/events", headers=headers) as stream:
        lines = []
        for line in stream.iter_lines():
            if not line:
                break
            lines.append(line)
    fields = dict(line.split(": ", 1) for line in lines)
    return fields["event"], fields["id"], json.loads(fields["data"])


@pytest.fixture
def short_stream(monkeypatch):
    """Streams end after the first news, as the test client reads them whole."""
    from starlette.requests import Request

    looks = []

    async def gone(_):
        looks.append(1)
        return len(looks) > 1

    monkeypatch.setattr(Request, "is_disconnected", gone)


def test_news_go_on_where_a_stream_broke_off(client, run, short_stream):
    event, number, news = first_news(client, run)
    assert (event, number) == ("news", f"0-{TRIED}")
    assert (news["first"], len(news["tried"])) == (0, TRIED)
    assert news["run"]["state"] == "finished"


def test_news_after_a_break_hold_only_what_is_new(client, run, short_stream):
    _, number, news = first_news(client, run, **{"last-event-id": "0-5"})
    assert number == f"0-{TRIED}"
    assert (news["first"], len(news["tried"])) == (5, TRIED - 5)


def test_news_of_a_run_that_went_back_are_told_from_the_beginning(
    client, run, served, short_stream
):
    journal = served.folder / run / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    turns = [line for line in lines if '"event":"turn"' in line.replace(" ", "")]
    journal.write_text("".join([*lines, turns[-1]]))
    _, number, news = first_news(client, run, **{"last-event-id": "0-5"})
    assert number == f"1-{TRIED}"
    assert (news["first"], len(news["tried"])) == (0, TRIED)


@pytest.mark.parametrize("mark", ["5", "x-5", "0-", "-", "9" * 30 + "-5"])
def test_a_mark_that_is_not_ours_is_told_everything(client, run, short_stream, mark):
    _, number, news = first_news(client, run, **{"last-event-id": mark})
    assert (number, len(news["tried"])) == (f"0-{TRIED}", TRIED)


def test_stopping_what_does_not_run_is_refused(client, run):
    answer = client.post(f"/api/runs/{run}/stop")
    assert answer.status_code == 400
    assert "not running" in answer.json()["error"]


def test_more_seconds_for_a_number_of_files_are_refused(client, run):
    assert client.post(f"/api/runs/{run}/continue", json={"seconds": 5}).status_code == 400


def test_a_risk_above_the_limit_needs_a_typed_confirmation(client, run):
    front = client.get(f"/api/runs/{run}").json()["front"]
    risky = max(front, key=lambda point: point["risk"])
    assert risky["risk"] > 10
    answer = client.post(f"/api/runs/{run}/choose", json={"point": risky["point"]})
    assert answer.status_code == 400
    assert f"writing {risky['risk']:.1f}" in answer.json()["error"]
    assert client.post(f"/api/runs/{run}/choose", json={"point": 99999}).status_code == 404


def test_reports_are_read_but_may_do_nothing(client, run):
    answer = client.get(f"/api/runs/{run}/downloads/public?view=true")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "script" not in answer.headers["content-security-policy"]
    assert answer.headers["content-type"].startswith("text/html")


def test_everything_can_be_taken_away(client, run, served):
    for what in ("masked", "internal", "public", "record", "record-public", "plan"):
        answer = client.get(f"/api/runs/{run}/downloads/{what}")
        assert answer.status_code == 200, what
        assert "attachment" in answer.headers["content-disposition"]
    masked = client.get(f"/api/runs/{run}/downloads/masked").text
    assert masked == (served.folder / run / "masked" / "town.csv").read_text()
    assert client.get(f"/api/runs/{run}/downloads/journal").status_code == 422


def test_the_command_and_the_code_repeat_the_run(client, run):
    seen = client.get(f"/api/runs/{run}/release").json()
    assert seen["command"] == "evomask protect town.csv --require k=3 --evaluations 8 --out release"
    assert "quasi=['age', 'income', 'school']" in seen["python"]
    compile(seen["python"], "shown", "exec")


def test_a_broken_off_run_is_told_from_a_running_one(client, run, served):
    journal = served.folder / run / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-6]))
    os.utime(journal)
    assert client.get(f"/api/runs/{run}").json()["state"] == "broken off"
    (served.folder / run / "plan.toml").write_text("no = plan [")
    assert client.get("/api/runs").json()[0]["state"] == "broken off"


def test_a_run_without_a_release_has_nothing_to_take_away(client, run, served):
    for path in (served.folder / run).glob("record*"):
        path.unlink()
    assert client.get(f"/api/runs/{run}/downloads/masked").status_code == 404
    assert client.get(f"/api/runs/{run}/release").json()["released"] is False
    assert client.post(f"/api/runs/{run}/verify").status_code == 404


def test_points_are_compared_by_aggregates(client, run):
    front = client.get(f"/api/runs/{run}").json()["front"]
    points = [point["file"] for point in front[:2]]
    path = f"/api/runs/{run}/compare"
    assert client.post(path, json={"files": points}).json()["state"] == "working"
    asked = ",".join(map(str, points))
    work = until(
        lambda: client.get(path, params={"files": asked}).json(), lambda w: w["state"] != "working"
    )
    assert work["state"] == "done", work
    records = work["result"]["points"]
    assert [record["points"]["chosen"]["file"] for record in records] == points
    assert all(record["attacks"] and record["measures"] for record in records)
    assert "p17" not in json.dumps(records)


@pytest.mark.slow
def test_a_point_is_released_signed_checked_and_taken_away_in_another_format(client, run, served):
    point = client.get(f"/api/runs/{run}").json()["front"][-1]
    wish = {"point": point["point"], "confirm": f"{point['risk']:.1f}"}
    assert client.post(f"/api/runs/{run}/choose", json=wish).json()["state"] == "working"
    look = lambda: client.get(f"/api/runs/{run}/release").json()  # noqa: E731
    done = until(look, lambda seen: seen["choosing"]["state"] != "working")
    assert done["choosing"]["state"] == "done", done
    assert done["point"]["point"] == point["point"]
    said = {"by": "A. Steward", "reason": "--quiet, and short", "date": "2026-11-17"}
    signed = client.post(f"/api/runs/{run}/statement", json=said).json()
    assert signed["statement"]["by"] == "A. Steward"
    assert signed["statement"]["reason"] == "--quiet, and short"
    client.post(f"/api/runs/{run}/verify")
    checked = until(look, lambda seen: seen["verified"]["state"] != "working")
    assert checked["verified"]["result"]["holds"] is True
    parquet = client.get(f"/api/runs/{run}/downloads/masked?format=parquet")
    assert parquet.content.startswith(b"PAR1")
    assert not list((served.folder / ".web").glob("*.parquet"))
    assert len(client.get(f"/api/runs/{run}/preview?records=3").json()["rows"]) == 3


@pytest.mark.slow
def test_a_run_goes_from_waiting_to_released_and_outlives_the_server(served, tmp_path):
    with asking(served) as client:
        from tests.cli.conftest import write_town

        content = write_town(tmp_path).read_bytes()
        file = client.post("/api/files?name=town.csv", content=content).json()["id"]
        columns = [
            {"name": n, "kind": "continuous", "role": "quasi-identifier"} for n in ("age", "income")
        ]
        client.put(f"/api/files/{file}/schema", json={"columns": columns})
        wish = {"file": file, "goal": {"k": 3, "files": 8}}
        name = client.post("/api/runs", json=wish).json()["name"]
        until(lambda: client.get(f"/api/runs/{name}").json()["state"], lambda s: s != "waiting")
    with asking(served) as client:
        seen = until(
            lambda: client.get(f"/api/runs/{name}").json(),
            lambda r: r["state"] not in ("starting", "running"),
        )
    assert seen["state"] == "finished", seen
    assert seen["file_id"] == file
    shutil.rmtree(served.folder)
