"""The result as a table, as JSON and as a page."""

import io
import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from rich.console import Console

from migrate.verify import compare, document, page
from migrate.verify.table import summary, tables
from migrate.verify.verification import OTHER_WEIGHTS


def shown(verification, verbose=False):
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(tables(verification, verbose))
    return console.export_text()


def test_a_comparison_that_matches_is_one_line(verification):
    text = shown(verification())
    assert "= sigkill at step 13: matches, resumed at step 10\n" in text
    assert "│" not in text


def test_where_only_the_initial_weights_kept_losses_from_being_compared_the_option_is_named(verification, record):
    made = verification(new=record(loss=lambda step: 2.0))
    assert "add --share-initial" in summary(made)[-1]
    made.notes.append(OTHER_WEIGHTS)  # it was tried
    assert not any("--share-initial" in line for line in summary(made))
    made.notes.clear()
    made.request.share_initial = True
    assert not any("--share-initial" in line for line in summary(made))


def test_junit_has_a_case_for_each_comparison_and_fault(verification, record):
    made = verification(new=record(resumed=5))
    made.comparisons.append(("sigkill at step 9", compare(record(), record())))
    made.not_tried.append("worker-killed: one process trains")
    [suite] = ElementTree.fromstring(document.junit(made))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    cases = {case.get("name"): case for case in suite}
    failure = cases["sigkill at step 13"].find("failure")
    assert failure.get("message") == "resumed at step: OLD 10, NEW 5"
    assert "! resumed at step: 10 | 5" in failure.text
    assert len(cases["sigkill at step 9"]) == 0
    assert cases["worker-killed"].find("skipped").get("message") == "one process trains"


def test_the_table_sets_old_and_new_side_by_side(verification):
    text = shown(verification(), verbose=True)
    assert re.search(r"resumed at step\s+│ 10\s+│ = │ 10", text)
    assert "1 of 1 comparisons match." in text


def test_the_table_marks_a_difference_by_a_sign(verification, record):
    assert re.search(r"resumed at step\s+│ 10\s+│ ≠ │ 5", shown(verification(new=record(resumed=5))))


def test_the_summary_says_what_was_compared_and_what_was_not(verification, record):
    lines = summary(verification(new=record(resumed=5, loss=lambda step: 2.0)))
    assert lines[0] == "Resumption differs: 0 of 1 comparisons match."
    assert lines[1].startswith("Compared: failed starts, resumed at step, final step")
    assert "Not compared, because neither program evaluated: evaluations." in lines
    assert lines[-1] == "First difference: sigkill at step 13: resumed at step: OLD 10, NEW 5."


def test_what_only_some_interruptions_leave_uncompared_is_told_with_these(verification, record):
    made = verification()
    in_save = record(fault="sigkill-in-save")
    made.comparisons.append(("killed during the save of step 20", compare(in_save, in_save)))
    [told] = [line for line in summary(made) if "at a time of its own" in line]
    assert told.startswith("Not compared in these, because each program was interrupted at a time of its own: resumed")
    assert told.endswith(" (killed during the save of step 20).")


def test_json_holds_the_fields_of_its_schema(verification):
    made = json.loads(document.text(verification()))
    [comparison] = made["comparisons"]
    assert made["schema"] == 1
    assert made["matches"] is comparison["matches"] is True
    assert comparison["old"]["resumed_at"] == [10]
    assert comparison["old"]["losses"]["13"] == 1 / 13
    assert comparison["new"]["attempts"][0]["error"] == "killed by signal 9"
    for field in ("title", "fault", "rows"):
        assert field in document.__doc__
        assert field in comparison
    for field in comparison["old"]:
        assert field in document.__doc__, f"{field} is not documented"


def test_json_stays_json_where_a_loss_is_not_a_number(verification, record):
    made = json.loads(document.text(verification(new=record(loss=lambda step: float("nan")))))
    assert made["comparisons"][0]["new"]["losses"]["1"] is None


def test_the_page_needs_nothing_but_itself(verification):
    html = page.page(verification())
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", html)
    assert "<script" not in html
    assert "@import" not in html
    assert len(html) < 100_000


def test_the_page_shows_saves_interruptions_and_resumptions(verification):
    html = page.page(verification())
    assert html.count('class="old kill"') == 1
    assert html.count('class="new restore"') == 1
    assert html.count('class="old save"') == 4


def test_the_page_shows_the_difference_between_the_programs_as_text(verification):
    assert "+model.fit(data)  # &lt;b&gt;" in page.page(verification())


def test_the_page_opens_what_differs(verification, record):
    assert '<details id="c0" open>' in page.page(verification(new=record(resumed=5)))


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture
def browser(tmp_path):
    """Load a page and give its document after loading."""
    if CHROMIUM is None:
        pytest.skip("THE PAGE WAS NOT TRIED IN A BROWSER: install chromium")

    def load(html, *flags):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *flags, "--dump-dom", path.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    return load


PROBE = """<script>
const seen = {};
const details = document.querySelectorAll("details");
details[details.length - 1].querySelector("summary").focus();
seen.focusable = document.activeElement.tagName;
seen.pictures = [...document.querySelectorAll("svg")].map(each => each.getBoundingClientRect().height > 50);
seen.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
seen.background = getComputedStyle(document.body).backgroundColor;
seen.text = getComputedStyle(document.body).color;
document.body.style.width = "20rem";
seen.narrow = [...document.querySelectorAll("table")].map(each => each.offsetWidth <= document.body.clientWidth);
document.title = JSON.stringify(seen);
</script>"""


@pytest.mark.parametrize(("flags", "dark"), [((), False), (("--blink-settings=preferredColorScheme=0",), True)])
def test_a_browser_draws_the_page_in_both_themes_and_the_keyboard_reaches_it(flags, dark, verification, browser):
    loaded = browser(page.page(verification()) + PROBE, *flags)
    seen = json.loads(re.search(r"<title>(.*?)</title>", loaded).group(1))
    assert seen["focusable"] == "SUMMARY"
    assert seen["pictures"] == [True, True]
    assert seen["wide"]
    assert seen["narrow"] == [True]
    red = {name: int(re.search(r"\d+", seen[name]).group()) for name in ("background", "text")}
    assert (red["background"] < 64 < 192 < red["text"]) is dark
    assert (red["text"] < 64 < 192 < red["background"]) is not dark
