"""The table of contrib's successors has a row for every name of TensorFlow 1.15, and none that leads nowhere."""

import pytest

from migrate.tensorflow.contrib import advice, read_row
from migrate.tensorflow.known_names import lines_without
from tests.cases import each
from tests.contrib_account import SAME, how_shown, is_current, shown, uses
from tests.contrib_names import kind_of, of_1, wrong


@pytest.fixture(scope="module")
def known():
    return set(of_1())


def test_every_name_of_1_has_a_row_and_every_row_leads_somewhere(known):
    assert len(known) > 2400
    assert list(wrong(known)) == []


def test_a_name_without_a_row_is_told(known):
    assert list(wrong({*known, "never.heard_of"})) == ["never.heard_of has no row"]


def test_what_is_no_row_is_refused():
    with pytest.raises(ValueError, match="not a row"):
        list(read_row("tf data AUTOTUNE"))


@each("name", "kind")(
    ("layers.conv2d", "slim"),
    ("layers.fully_connected", "piece"),
    ("data.map_and_batch", "tf"),
    ("rnn.LSTMCell", "same"),
    ("seq2seq.AttentionWrapper", "piece"),
    ("seq2seq.hardmax", "none"),
    ("distributions.Mixture", "package"),
    ("metrics.streaming_auc", "by-name"),
    ("slim.real_valued_column", "none"),
    ("slim.data.data_provider.DataProvider", "slim"),
    ("slim.learning.train", "none"),
)
def test_a_name_has_the_kind_of_its_nearest_row(name, kind):
    assert kind_of(name) == kind
    assert lines_without(f"tensorflow.contrib.{name}", ("2.15", "2.21")) == ("2.15", "2.21")


def test_every_name_that_is_written_as_the_same_is_shown_to_be():
    assert is_current()
    kinds = {name: str(kind_of(name)) for name in of_1()}
    same = {name: kind for name, kind in kinds.items() if kind in SAME}
    assert len(same) > 1290
    assert [name for name, kind in same.items() if not shown(name, kind)] == []


def test_every_name_that_public_code_uses_more_than_twice_is_shown_or_told_what_to_do():
    assert len(uses()) > 300
    assert [name for name in uses() if not how_shown(name)] == []
    left = [name for name in uses() if how_shown(name) in ("none", "package", "gone", "rule")]
    assert [name for name in left if not advice(name)] == []
