"""The door: strangers, other names, other pages, too much and too often are refused."""

import re
import time

import pytest
from starlette.testclient import TestClient

from evomask.web.app import make_app
from evomask.web.security import HEADERS, Limits
from evomask.web.server import Served
from tests.web.conftest import ADDRESS, PORT, asking


@pytest.fixture
def stranger(served):
    with TestClient(make_app(served), base_url=ADDRESS) as client:
        yield client


def test_who_shows_nothing_is_refused_everywhere_but_for_the_looks(stranger):
    assert stranger.get("/api/about").status_code == 401
    assert stranger.get("/").status_code == 401
    assert stranger.post("/api/files/survey").status_code == 401
    assert stranger.get("/api/openapi.json").status_code == 401
    assert stranger.get("/static/style.css").status_code == 200


def test_a_link_works_once_and_gives_a_cookie_that_scripts_cannot_read(served, stranger):
    token = served.keys.link_token()
    answer = stranger.get("/", params={"token": token})
    cookie = answer.headers["set-cookie"]
    assert answer.status_code == 200
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert token not in answer.text
    assert stranger.get("/api/about").status_code == 200
    stranger.cookies.clear()
    assert stranger.get("/", params={"token": token}).status_code == 401


def test_neither_a_cookie_nor_a_link_outlives_the_server(served, tmp_path):
    token, cookie = served.keys.link_token(), served.keys.cookie
    assert served.keys.admits_cookie(cookie)
    again = Served(served.folder, PORT)
    again.keys._began += 60
    assert not again.keys.admits_cookie(cookie)
    assert not again.keys.admits_link(token)


def test_a_cookie_ends_when_its_session_does(tmp_path, monkeypatch):
    keys = Served(tmp_path / "runs", PORT, limits=Limits(session=60)).keys
    cookie, now = keys.cookie, time.time()
    monkeypatch.setattr(time, "time", lambda: now + 58)
    assert keys.admits_cookie(cookie)
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert not keys.admits_cookie(cookie)
    later = cookie.replace(cookie.partition(".")[0], f"{now + 1e6:.0f}")
    assert not keys.admits_cookie(later)


@pytest.mark.parametrize("value", ["", ".", "nan.x", "é.é", "9999999999.", "x" * 9000])
def test_an_invented_cookie_is_refused(served, value):
    assert not served.keys.admits_cookie(value)


def test_a_new_folder_is_for_its_owner_alone(tmp_path):
    Served(tmp_path / "some" / "runs", PORT)
    assert (tmp_path / "some" / "runs").stat().st_mode & 0o777 == 0o700


def test_requests_of_strangers_do_not_use_up_those_of_the_owner(tmp_path):
    served = Served(tmp_path / "runs", PORT, limits=Limits(rate=0.001, burst=3))
    app = make_app(served)
    key = {"authorization": f"Bearer {served.keys.secret}"}
    with TestClient(app, base_url=ADDRESS) as client:
        codes = [client.get("/api/about").status_code for _ in range(5)]
        assert codes == [401, 401, 401, 429, 429]
        assert client.get("/api/about", headers=key).status_code == 200


def test_a_large_body_in_pieces_is_refused_by_its_size(client):
    def pieces():
        yield from (b'{"a": "' + b"x" * 1_000_000 for _ in range(3))

    headers = {"content-type": "application/json"}
    answer = client.post("/api/runs", content=pieces(), headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize("token", ["", "x", "1.y.z", "1e9.abc.0000", "é", "a" * 5000])
def test_an_invented_link_is_refused(served, token):
    assert not served.keys.admits_link(token)


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", ""])
def test_another_name_of_this_machine_is_refused(client, host):
    assert client.get("/api/about", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_another_page_is_refused(client, origin):
    answer = client.post("/api/files/survey", headers={"origin": origin})
    assert answer.status_code == 403
    assert not list(client.get("/api/files").json())


def test_a_form_of_another_site_is_refused_by_what_the_browser_says(client):
    answer = client.post("/api/files/survey", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


def test_our_own_page_may_ask(client):
    assert client.get("/api/about", headers={"origin": ADDRESS}).status_code == 200


def test_too_many_requests_are_told_to_wait(tmp_path):
    served = Served(tmp_path / "runs", PORT, limits=Limits(rate=0.001, burst=3))
    with asking(served) as client:
        codes = [client.get("/api/about").status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]


def test_too_many_bytes_are_refused_also_where_nobody_said_how_many(tmp_path):
    served = Served(tmp_path / "runs", PORT, limits=Limits(upload=1000))

    def pieces():
        yield from (b"a,b\n" * 100 for _ in range(20))

    with asking(served) as client:
        told = client.post("/api/files?name=a.csv", content=b"a,b\n" * 1000)
        untold = client.post("/api/files?name=a.csv", content=pieces())
        large = client.put("/api/files/0000000000000000/schema", content=b" " * 3_000_000)
        assert [told.status_code, untold.status_code, large.status_code] == [413, 413, 413]
        assert client.get("/api/files").json() == []
    assert not list((served.folder / ".files").iterdir())


def test_every_answer_forbids_what_the_pages_do_not_need(client):
    for path in ("/", "/api/about", "/static/runs.js", "/nowhere"):
        given = client.get(path).headers
        assert {name: given[name] for name in HEADERS} == HEADERS, path
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_pages_hold_no_script_and_no_style_of_their_own(client):
    text = client.get("/").text
    assert not re.search(r"<script(?![^>]*src=)|<style|style=|onclick=|https?://", text)


def test_errors_are_a_sentence_with_a_number(client):
    answer = client.get("/api/files/0123456789abcdef")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "id", "field"}
    page = client.get("/files/0123456789abcdef/columns")
    assert page.status_code == 404
    assert "there is no such file" in page.text


@pytest.mark.parametrize(
    ("goal", "field", "sentence"),
    [
        ({"max_risk": 120}, "max_risk", "max_risk must be at most 100"),
        ({"k": 0}, "k", "k must be at least 1"),
        ({"k": "Ada"}, "k", "k must be a whole number"),
        ({"minutes": 2}, "minutes", "minutes is not known here; leave it out"),
        ({"cluster": "Ada"}, "cluster", "cluster is not valid; check it"),
        ({"profile": "Ada"}, "profile", "profile must be one of 'strict' or 'papers'"),
    ],
)
def test_a_wrong_field_is_named_with_what_it_must_be_and_not_what_it_was(
    client, goal, field, sentence
):
    answer = client.post("/api/runs", json={"file": "0" * 16, "goal": goal})
    assert answer.status_code == 422
    assert (answer.json()["field"], answer.json()["error"]) == (field, sentence)


def test_what_went_wrong_inside_tells_no_values(served, capsys, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret value 4711")

    monkeypatch.setattr(type(served.workspace), "find", broken)
    with TestClient(make_app(served), base_url=ADDRESS, raise_server_exceptions=False) as client:
        key = {"authorization": f"Bearer {served.keys.secret}"}
        answer = client.get("/api/files/0123456789abcdef", headers=key)
    assert answer.status_code == 500
    assert "4711" not in answer.text + capsys.readouterr().err


def test_the_key_is_for_its_owner_alone(served):
    key = served.folder / ".web" / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert (served.folder / ".files").stat().st_mode & 0o777 == 0o700
