"""The lines of two texts are matched as difflib does, whatever the texts, and long texts at once."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from migrate.files.matching import opcodes, unified_lines
from tests.cases import each

LINES = st.lists(st.sampled_from("aaabcdefgh"), max_size=12)


@given(LINES, LINES)
def test_the_parts_of_two_texts_follow_one_another_and_equal_ones_are_equal(old, new):
    here, there, last = 0, 0, ""
    for tag, start, end, new_start, new_end in opcodes(old, new):
        assert (start, new_start) == (here, there)
        assert tag != last
        assert (tag == "equal") == (old[start:end] == new[new_start:new_end])
        assert (tag in ("equal", "replace", "delete")) == (end > start)
        assert (tag in ("equal", "replace", "insert")) == (new_end > new_start)
        here, there, last = end, new_end, tag
    assert (here, there) == (len(old), len(new))


@each("old", "new")(
    ("import a\nx\nx\nf()\nx\n", "import a\nimport b\nx\nx\ng()\nx\n"),
    ("", "a\nb\n"),
    ("a\nb\n", ""),
    ("a\n", "b\n"),
    ("a\na\n", "a\na\n"),
)
def test_small_changes_are_those_of_difflib(old, new):
    before, after = old.splitlines(), new.splitlines()
    assert [*opcodes(before, after)] == difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def test_no_line_is_compared_with_all_that_are_equal_to_it(monkeypatch):
    searched = []
    own = difflib.SequenceMatcher.find_longest_match

    def counting(self, *bounds):
        searched.append(len(self.a) * len(self.b))
        return own(self, *bounds)

    monkeypatch.setattr(difflib.SequenceMatcher, "find_longest_match", counting)
    equal = ["x = 1"] * 10_000
    found = [*opcodes(["import a", *equal, "f()"], ["import a", "import b", *equal, "g()", "h()"])]
    assert [tag for tag, *_ in found] == ["equal", "insert", "equal", "replace"]
    assert sum(searched) < 100


def test_what_changes_among_lines_that_stand_often_is_all_that_a_diff_shows():
    methods = [
        line for n in range(60) for line in (f"def f{n}(self):", "    model = self.model()", "    return model", "")
    ]
    changed = [*methods[:121], "    begin_from(model)", *methods[121:]]
    assert [*unified_lines(methods, changed, "old", "new")] == [
        *("--- old", "+++ new", "@@ -119,6 +119,7 @@", " " + methods[118], " " + methods[119], " " + methods[120]),
        *("+    begin_from(model)", " " + methods[121], " " + methods[122], " " + methods[123]),
    ]
