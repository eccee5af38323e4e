"""The review page: what it holds, and what a person does with it in a browser."""

import base64
import gzip
import json
import pickle
import re
import shutil
from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.edits.file_change import FileChange
from migrate.pipeline.outcome import Outcome
from migrate.report import html
from tests.codemod.programs import program
from tests.codemod.shared import shared
from tests.codemod.trees import outcome_of, put

LEFT = (
    "import tensorflow as tf\n\n\n"
    "def train(arguments, fn):\n"
    "    # <script>document.title = 'hacked'</script>\n"
    "    estimator = tf.estimator.BoostedTreesClassifier(**arguments)\n"
    "    estimator.train(fn)\n"
)
STACK = "from tensorflow.python.ops import array_ops; w = array_ops.stack([1])"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def page_of(*arguments):
    main([*(arguments or ["."]), "--format", "html", "--output", "review.html"])
    return Path("review.html").read_text(encoding="utf-8")


def test_the_page_needs_nothing_but_itself(project):
    page = page_of()
    assert not re.search(r"(src|href)\s*=\s*[\"']?(?![\"'#])\w", page)
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_the_same_outcome_gives_the_same_page(project):
    assert page_of() == page_of()


@pytest.mark.slow
def test_a_hundred_programs_make_a_page_of_a_few_hundred_kilobytes(project, monkeypatch):
    """The programs differ in a number of four digits alone, and so do their outcomes: one of them is worked out."""
    text = program(config="RunConfig(save_checkpoints_steps=7000)").replace("Hook", "Hook7000")
    put(project, {f"job{n}/train{n}.py": text.replace("7000", str(n)) for n in range(7000, 7100)})
    one = pickle.dumps(outcome_of("job7000"))
    assert one.count(b"7000") > 5
    all_of_them = [pickle.loads(one.replace(b"7000", b"%d" % number)) for number in range(7000, 7100)]
    rest = outcome_of("other.py", "train.py")
    for each in all_of_them:
        rest.findings += each.findings
        rest.changes += each.changes
        rest.programs += each.programs
    rest.sort()
    monkeypatch.setattr("migrate.pipeline.run.run", lambda *given, **how: rest)
    assert 100_000 < len(page_of()) < 300_000


def test_a_notebook_stands_there_as_code():
    def notebook(code):
        cells = [{"cell_type": "markdown", "source": "x"}, {"cell_type": "code", "source": [code]}]
        return json.dumps({"nbformat": 4, "cells": cells})

    change = FileChange("train.ipynb", notebook("old = 1"), notebook("new = 2"))
    page = html.render(Outcome(1, [], [change]), {}, lambda path: [])
    packed = re.search(r"id=packed>([^<]*)<", page)
    assert packed is not None
    [section] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    text = re.sub("<[^>]*>", "", section)
    assert "# cell 2" in text
    assert "old = 1" in text
    assert "new = 2" in text
    assert "cell_type" not in text


@pytest.fixture(scope="module")
def tab():
    """A tab of a browser that is started once for all pages."""
    if CHROMIUM is None:
        pytest.skip("THE REVIEW PAGE WAS NOT TRIED IN A BROWSER: install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = started.new_context(offline=True).new_page()
        mistakes = []
        tab.on("pageerror", lambda error: mistakes.append(str(error)))
        tab.on("console", lambda message: mistakes.append(message.text))
        yield tab
        assert mistakes == []
        started.close()


@pytest.fixture
def review(project, tab, rewritten_once):
    """The page of a project with two programs that are rewritten and one that is left, open in a browser."""
    put(project, {"again.py": "# licence\n" * 12 + program(head=STACK), "left.py": LEFT})
    (project / "pyproject.toml").write_text('[tool.migrate]\nhelpers = "package"\n')
    made = shared("the page of again.py, left.py and train.py", page_of)
    (project / "review.html").write_text(made, encoding="utf-8")
    tab.goto((project / "review.html").as_uri())
    loaded(tab)
    yield tab
    tab.evaluate("localStorage.clear()")
    tab.emulate_media(color_scheme="null", media="null")
    tab.set_viewport_size({"width": 1280, "height": 720})


def loaded(page):
    page.wait_for_selector("main:not([aria-busy])")


def files(page):
    """The paths of the files that are shown."""
    return page.locator("details.file:visible").evaluate_all("all => all.map(one => one.dataset.path)")


def test_every_file_stands_there_with_its_findings(review, project):
    assert re.match(r"\d+ call sites in 3 files: ", review.locator("header p, p").first.text_content() or "")
    (project / "pyproject.toml").unlink()
    page_of()
    review.reload()
    loaded(review)
    shown = files(review)
    generated = [path for path in shown if path.startswith("tf2_recovery/")]
    assert "tf2_recovery/premade/dnn.py" in generated
    assert shown == ["again.py", "left.py", "train.py", *generated]  # what a reviewer wrote comes first
    left = review.locator("[data-path='left.py'] .finding.skipped").first
    text = left.text_content() or ""
    assert "FT" in text
    assert "Help:" in text
    assert "hacked" not in review.title()


def test_old_and_new_stand_side_by_side_in_colour(review):
    row = review.locator("[data-path='train.py'] tr", has_text="model = ")
    old, new = row.locator("td:nth-child(2)"), row.locator("td:nth-child(4)")
    assert old.get_attribute("class") == "old"
    assert new.get_attribute("class") in ("new", "none")
    boxes = old.bounding_box(), new.bounding_box()
    assert boxes[0] is not None and boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    word = review.locator("[data-path='train.py'] td i.k").first
    plain = review.locator("[data-path='train.py'] td.old").first
    assert word.evaluate("one => getComputedStyle(one).color") != plain.evaluate("one => getComputedStyle(one).color")


def test_the_findings_are_filtered_by_file_rule_and_fidelity(review):
    review.fill("#path", "AGAIN")
    assert files(review) == ["again.py"]
    review.fill("#path", "")
    review.select_option("#rule", "FT198")
    assert files(review) == ["again.py"]
    assert review.locator(".finding:visible").count() == 1
    review.select_option("#rule", "")
    for result in ("exact", "noted", "error"):
        review.uncheck(f".show[value={result}]")
    assert files(review) == ["left.py"]


def test_a_number_of_the_summary_shows_what_it_counts(review):
    number = review.locator(".count[data-rule=FT151][data-result=noted]")
    number.click()
    assert review.locator(".finding:visible").count() == int(number.inner_text()) == 4


def test_the_page_of_a_rule_opens_from_its_finding(review):
    page = review.locator("#FT152 pre")
    assert not page.is_visible()
    review.locator("[data-path='train.py'] .finding a", has_text="FT152").click()
    page.wait_for(state="visible")
    assert page.inner_text().startswith("FT152 · ")


def test_ticks_are_remembered_until_the_file_changes(review, project):
    ticked = review.locator("[data-path='train.py'] .finding input").first
    ticked.check()
    total = review.locator(".finding").count()
    assert review.inner_text("#progress") == f"1 of {total} reviewed"
    review.reload()
    loaded(review)
    assert ticked.is_checked()
    review.uncheck("#reviewed")
    assert review.locator(".finding:visible").count() == total - 1
    (project / "train.py").write_text(program() + "# changed\n")
    page_of()
    review.reload()
    loaded(review)
    assert not ticked.is_checked()


def test_the_keyboard_does_it_all(review):
    def focused():
        return str(review.evaluate("document.activeElement.dataset.rule ?? document.activeElement.tagName"))

    review.keyboard.press("j")
    first = review.evaluate("document.activeElement.innerText")
    review.keyboard.press("j")
    assert review.evaluate("document.activeElement.innerText") != first
    review.keyboard.press("k")
    assert review.evaluate("document.activeElement.innerText") == first
    review.keyboard.press("x")
    assert review.inner_text("#progress").startswith("1 of ")
    review.keyboard.press("x")
    assert review.inner_text("#progress").startswith("0 of ")
    code = focused()
    review.keyboard.press("e")
    review.locator(f"#{code} pre").wait_for(state="visible")
    review.keyboard.press("n")
    assert focused() == "SUMMARY"
    review.keyboard.press("o")
    review.locator("details.file:not([open])").wait_for(state="attached")
    assert review.locator("details.file:not([open])").count() == 1
    review.keyboard.press("/")
    review.keyboard.type("left?jx")
    assert review.input_value("#path") == "left?jx"
    review.keyboard.press("Escape")
    review.keyboard.press("?")
    assert review.locator("#keys").is_visible()
    review.keyboard.press("Escape")
    assert not review.locator("#keys").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_can_be_read(review, scheme):
    review.emulate_media(color_scheme=scheme)
    seen = review.evaluate(
        """() => [...document.querySelectorAll("td.old i, td.new i, .note, .result, caption")].map(one => {
            const channels = text => text.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
                .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
            let behind = one;
            while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
            const colours = [getComputedStyle(one).color, getComputedStyle(behind).backgroundColor];
            const pair = colours.map(channels).map(light);
            return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        })"""
    )
    assert len(seen) > 20
    # The contrast that WCAG 2 asks of text at level AA.
    assert min(seen) >= 4.5
    dark = review.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark is (scheme == "dark")


def test_all_files_are_printed_light_and_without_the_controls(review):
    review.emulate_media(color_scheme="dark", media="print")
    review.keyboard.press("n")
    review.keyboard.press("o")
    assert review.locator("details.file:not([open])").count() == 1
    review.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert review.locator("details:not([open])").count() == 0
    assert not review.locator("nav").is_visible()
    review.evaluate("dispatchEvent(new Event('afterprint'))")
    assert review.locator("details.file:not([open])").count() == 1
    assert review.pdf().startswith(b"%PDF")


def test_a_key_leads_from_a_finding_to_its_code(review):
    for key in ("j", "j", "c"):
        review.keyboard.press(key)
    finding = review.locator(".finding:focus")
    row = review.locator("tr.at")
    assert row.count() == 1
    assert row.get_attribute("data-line") == finding.get_attribute("data-line")
    box = row.bounding_box()
    assert box is not None and 0 <= box["y"] <= (review.viewport_size or {"height": 0})["height"]
    review.keyboard.press("j")
    review.keyboard.press("c")
    assert review.locator("tr.at").count() == 1


def test_on_a_phone_the_old_line_stands_above_the_new_one_and_an_equal_line_once(review):
    review.set_viewport_size({"width": 390, "height": 800})
    assert review.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    cells = review.locator("table.split tr:not(.gap) td:nth-child(even):visible")
    boxes = cells.evaluate_all("all => all.map(one => [one.className, one.textContent, one.getBoundingClientRect()])")
    assert min(box["width"] for _, _, box in boxes) > 250
    old, new = (next(box for kind, _, box in boxes if kind == side) for side in ("old", "new"))
    assert old["x"] == new["x"]
    equal = review.locator("table.split tr:not(.gap):not(:has(.old, .new, .none))").first
    assert equal.locator("td:visible").count() == 2


@pytest.mark.parametrize("width", [1400, 390])
def test_the_table_of_programs_is_seen_whole_and_leads_to_the_files(review, project, width):
    deep = "a_directory_with_a_long_name/another_one_below_it_that_is_no_shorter"
    put(project, {f"{deep}/a_program_whose_name_tells_all_about_it.py": LEFT})
    page_of()
    review.set_viewport_size({"width": width, "height": 900})
    review.reload()
    loaded(review)
    table = review.locator("table.programs")
    edges = table.locator("th, td").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(edges) <= width
    assert table.locator("td", has_text="BoostedTrees").first.is_visible()
    link = table.locator("a", has_text="a_program_whose_name").first
    link.click()
    assert review.locator(link.get_attribute("href") or "").get_attribute("data-path").endswith("all_about_it.py")
    assert review.evaluate("document.activeElement.textContent").strip().find("all_about_it.py") > 0
