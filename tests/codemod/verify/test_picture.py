"""The drawings of verify's page use the height that they have for what the data holds."""

import re
from itertools import pairwise

import pytest

from migrate.verify.page import HEIGHT, Curve, draw


def heights(losses, by_decades=True):
    drawn = draw([Curve("old", [list(enumerate(losses))])], "step", "loss", "a loss", by_decades)
    places = re.findall(r'points="([^"]*)"', drawn)
    return [float(place.split(",")[1]) for line in places for place in line.split()]


def test_a_loss_that_falls_by_decades_falls_evenly():
    found = heights([1000.0, 100.0, 10.0, 1.0, 0.1])
    falls = [after - before for before, after in pairwise(found)]
    assert max(falls) - min(falls) < 1
    assert min(falls) > HEIGHT / 8


@pytest.mark.parametrize("losses", [[3.0, 2.0, 1.0], [300.0, 0.0, 1.0], [-1.0, 100.0, 5.0]])
def test_one_that_does_not_or_that_comes_to_nothing_is_drawn_as_it_is(losses):
    assert heights(losses) == heights(losses, by_decades=False)


@pytest.mark.parametrize("odd", [float("inf"), float("-inf"), float("nan")])
def test_what_is_no_number_spoils_nothing(odd):
    assert heights([3.0, odd, 1.0]) == [heights([3.0, 2.0, 1.0])[place] for place in (0, 2)]
