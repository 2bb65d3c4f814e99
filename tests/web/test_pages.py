"""The pages render, with the defaults of the option declaration."""

import pytest

from evomask.runs.options import DEFAULT_SECONDS, readable_endings


def test_the_budget_of_the_goal_page_is_the_default(client, town):
    page = client.get(f"/files/{town}/goal").text
    field = page.partition('name="minutes"')[2].partition(">")[0]
    assert f'value="{DEFAULT_SECONDS / 60:g}"' in field


def test_the_upload_offers_all_readable_formats(client):
    page = client.get("/").text
    assert all(ending in page for ending in readable_endings())


@pytest.mark.parametrize("screen", ["columns", "risk"])
def test_pages_of_a_file_render(client, town, screen):
    assert client.get(f"/files/{town}/{screen}").status_code == 200


@pytest.mark.parametrize("screen", ["search", "compare", "release"])
def test_pages_of_a_run_render(client, run, screen):
    assert client.get(f"/runs/{run}/{screen}").status_code == 200
