"""The whole way in a real browser: from a dropped file to a checked release."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.browser.conftest import LONGEST, town_file, tried_in, violations, wait_for

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=LONGEST)

LONG_RUN = 600
"""Measurements of a run that still goes on when something is killed beside it: some 20 seconds."""


def bring(page, path):
    page.set_input_files("#chosen", path)
    page.wait_for_url(re.compile(r"/files/[0-9a-f]{16}/columns$"))
    expect(page.locator("#uniques .big")).to_be_visible()


def start(page, **fields):
    """Go to the goal and start a run."""
    page.click("[data-step=goal]")
    for name, value in fields.items():
        page.fill(f"[name={name}]", str(value))
    page.click("text=Start the search")
    page.wait_for_url(re.compile(r"/runs/[^/]+/search$"))
    return page.url.split("/")[-2]


def finished(page):
    expect(page.locator("body")).to_have_attribute("data-state", "finished")


def test_from_a_file_to_a_checked_release_by_mouse(opened, tmp_path):
    page = opened()
    bring(page, town_file(tmp_path))
    page.select_option("[aria-label='Role of illness']", "confidential")
    expect(page.locator("#status")).to_have_text("illness saved")
    page.click("text=Next: scenarios")
    expect(page.locator("#scenarios[aria-busy]")).to_have_count(0)
    page.click("text=Next: baseline risk")
    expect(page.locator("#risk .banner")).to_contain_text("of 240 records")
    start(page, k=3, files=10)
    finished(page)
    assert int(page.get_attribute("#map", "data-tried")) >= 10
    page.locator("#front button").first.click()
    expect(page.locator("#pins")).to_contain_text("Compare 1 point")
    page.reload()
    expect(page.locator("#pins")).to_contain_text("Compare 1 point")
    page.click("#pins .button")
    expect(page.locator("body")).to_have_attribute("data-compared", "1")
    expect(page.locator("#comparison")).to_contain_text("Each attribute before and after")
    page.locator("text=/Release A…/").click()
    release(page)


def release(page):
    """Choose, confirm where that is needed, sign, verify, take away."""
    expect(page.locator("#choose")).to_be_visible()
    if page.locator("#confirm").count():
        risk = page.locator("label[for=confirm]").inner_text().rsplit(" ", 1)[-1]
        page.fill("#confirm", risk)
    page.click("#choose")
    expect(page.locator("#status")).to_contain_text("is released")
    page.fill("[name=by]", "A. Steward")
    page.fill("[name=reason]", "the least loss within the limit")
    page.click("text=Sign the release")
    expect(page.locator("text=signed by A. Steward")).to_be_visible()
    page.click("#verify")
    expect(page.locator("#verified")).to_contain_text("The release is valid.")
    with page.expect_download() as taken:
        page.click("#take")
    content = Path(taken.value.path()).read_text(encoding="utf-8")
    assert content.startswith("age,income,school,illness\n")
    assert content.count("\n") <= 241


def test_a_goal_that_nothing_meets_is_said_and_a_point_can_be_released(opened, tmp_path):
    page = opened()
    bring(page, town_file(tmp_path))
    start(page, k=3, files=10, max_risk=0)
    finished(page)
    expect(page.locator("#now")).to_contain_text("no point has a risk of at most 0 %")
    page.locator("#front button").first.click()
    page.click("#pins .button")
    page.locator("text=/Release A…/").click()
    release(page)


FOCUSED = """() => {
  const at = document.activeElement;
  return at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent || "";
}"""


def press(page, name):
    """Go with the tabulator to what has this name, and stop there."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if name in page.evaluate(FOCUSED):
            return
    pytest.fail(f"{name} cannot be reached by keyboard")


def test_the_same_by_keyboard_alone(opened):
    page = opened()
    press(page, "Try the bundled survey")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/files/[0-9a-f]{16}/columns$"))
    expect(page.locator("#uniques .big")).to_be_visible()
    press(page, "Role of expenses")
    page.keyboard.type("other")
    expect(page.locator("#status")).to_have_text("expenses saved")
    press(page, "Next: scenarios")
    page.keyboard.press("Enter")
    expect(page.locator("[data-scenario=register] .big")).to_be_visible()
    press(page, "Next: baseline risk")
    page.keyboard.press("Enter")
    expect(page.locator("#risk .banner")).to_be_visible()
    press(page, "Next: the goal")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/goal$"))
    press(page, "or a number of files")
    page.keyboard.type("3")
    press(page, "Start the search")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[^/]+/search$"))
    finished(page)
    press(page, "Map of loss and risk")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#pins")).to_contain_text("Compare 1 point")
    press(page, "Release")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/release"))
    expect(page.locator("#choose")).to_be_visible()
    press(page, "Verify the release")
    page.keyboard.press("Enter")
    expect(page.locator("#verified")).to_contain_text("The release is valid.")


def test_what_is_refused_is_told_beside_it_and_quick_changes_are_kept(opened, server, tmp_path):
    page = opened()
    server.is_to_refuse = True
    notes = tmp_path / "notes.exe"
    notes.write_text("no records")
    page.set_input_files("#chosen", notes)
    expect(page.locator("#bring-said")).to_contain_text("has no known format")
    bring(page, town_file(tmp_path))
    page.fill("#rules", "no rule at all")
    page.click("#keep-rules")
    expect(page.locator("#rules-said")).to_be_visible()
    for name in ("age", "school", "illness"):
        page.select_option(f"[aria-label='Role of {name}']", "confidential")
    expect(page.locator("#status")).to_have_text("illness saved")
    assert page.input_value("#rules") == "no rule at all"
    page.reload()
    for name in ("age", "school", "illness"):
        role = page.locator(f"[aria-label='Role of {name}']")
        expect(role).to_have_value("confidential")


def test_a_killed_server_loses_nothing_and_the_run_goes_on(opened, server, tmp_path):
    page = opened()
    bring(page, town_file(tmp_path))
    run = start(page, k=3, files=LONG_RUN)
    expect(page.locator("body")).to_have_attribute("data-state", "running")
    wait_for(lambda: tried_in(server, run))
    server.kill()
    expect(page.locator("#status")).to_contain_text("the run continues without it")
    before = tried_in(server, run)
    wait_for(lambda: tried_in(server, run) > before)
    server.start()
    finished(page)
    everything = str(tried_in(server, run))
    expect(page.locator("#map")).to_have_attribute("data-tried", everything)
    page.reload()
    finished(page)
    expect(page.locator("#map")).to_have_attribute("data-tried", everything)


def test_a_killed_run_is_told_within_seconds_and_continues(opened, server, tmp_path):
    page = opened()
    bring(page, town_file(tmp_path))
    run = start(page, k=3, files=LONG_RUN)
    wait_for(lambda: list((server.folder / run).glob("state-*")))
    os.killpg(int((server.folder / run / ".process").read_text()), signal.SIGKILL)
    expect(page.locator("#now .badge")).to_have_text(re.compile("broken off"), timeout=20_000)
    page.click("#buttons >> text=Continue")
    finished(page)
    everything = str(tried_in(server, run))
    expect(page.locator("#map")).to_have_attribute("data-tried", everything)


def test_two_tabs_show_the_same_and_pause_works_in_either(opened, server, tmp_path):
    one = opened()
    bring(one, town_file(tmp_path))
    run = start(one, k=3, minutes=10)
    two = opened(width=390, scheme="dark")
    two.goto(f"{server.address}/runs/{run}/search")
    expect(two.locator("#buttons")).to_contain_text("Pause")
    two.click("#buttons >> text=Pause")
    for page in (one, two):
        expect(page.locator("body")).to_have_attribute("data-state", "stopped")
    one.click("#buttons >> text=Stop here")
    for page in (one, two):
        finished(page)
    tried = [lambda page=page: page.get_attribute("#map", "data-tried") for page in (one, two)]
    wait_for(lambda: tried[0]() == tried[1]() != "0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_on_any_screen(opened, server, axe, tmp_path, scheme):
    page = opened(scheme=scheme)
    found = {"runs": violations(page, axe)}
    bring(page, town_file(tmp_path))
    found["columns"] = violations(page, axe)
    page.locator("[aria-label*='hierarchy of']").first.click()
    page.click("#tree-look")
    expect(page.locator("#tree-lines table")).to_be_visible()
    found["hierarchy"] = violations(page, axe)
    page.keyboard.press("Escape")
    page.click("[data-step=scenarios]")
    expect(page.locator("#scenarios[aria-busy]")).to_have_count(0)
    found["scenarios"] = violations(page, axe)
    page.click("[data-step=risk]")
    expect(page.locator("#risk .banner")).to_be_visible()
    found["risk"] = violations(page, axe)
    page.click("[data-step=goal]")
    expect(page.locator("#outlook")).to_contain_text("Expect")
    found["goal"] = violations(page, axe)
    run = start(page, k=3, files=8)
    finished(page)
    page.locator("#front button").first.click()
    expect(page.locator("#pins")).to_contain_text("Compare 1 point")
    found["search"] = violations(page, axe)
    page.goto(f"{server.address}/runs/{run}/compare")
    expect(page.locator("body")).to_have_attribute("data-compared", "1")
    found["compare"] = violations(page, axe)
    page.goto(f"{server.address}/runs/{run}/release")
    expect(page.locator("#choose")).to_be_visible()
    found["release"] = violations(page, axe)
    page.goto(server.address)
    expect(page.locator("#runs tbody tr")).to_have_count(1)
    page.click("text=Remove")
    found["runs and files"] = violations(page, axe)
    server.is_to_refuse = True
    page.goto(f"{server.address}/runs/nobody/release")
    found["problem"] = violations(page, axe)
    assert not {screen: wrong for screen, wrong in found.items() if wrong}


def test_no_screen_is_wider_than_a_telephone(opened, server, tmp_path):
    page = opened(width=390, height=800)
    bring(page, town_file(tmp_path))
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    for step, sign in (("risk", "#risk .banner"), ("goal", "#goal")):
        page.click(f"[data-step={step}]")
        expect(page.locator(sign)).to_be_visible()
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
    run = start(page, k=3, files=8)
    finished(page)
    for screen, sign in (
        ("search", "#front table"),
        ("compare", "#comparison .points"),
        ("release", "#choose"),
    ):
        page.goto(f"{server.address}/runs/{run}/{screen}")
        expect(page.locator(sign)).to_be_visible()
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
    assert max(widths) <= 390, widths


def test_a_large_file_is_brought_and_looked_at(opened, tmp_path):
    page = opened()
    bring(page, town_file(tmp_path, 100_000))
    expect(page.locator("#columns")).to_contain_text("100,000 records")
    expect(page.locator("#uniques .big")).to_be_visible()
