"""The emitted HParams reads, casts and refuses as TensorFlow 1.15's did (found by running both)."""

import copy

import pytest

from migrate.recovery.estimator.changed_params import copy_with
from migrate.recovery.estimator.hparams import HParams
from tests.cases import cases, each


def params():
    return HParams(steps=1, rate=0.5, flag=True, name="x", layers=[1, 2], none=None)


test_a_text_sets_values_in_their_types = cases(lambda text, name: getattr(params().parse(text), name))(
    ("steps=3", "steps", 3),
    ("rate=2", "rate", 2.0),
    ("flag=false", "flag", False),
    ("flag=2", "flag", True),
    ("name=a b", "name", "a b"),
    ("name=", "name", ""),
    ("layers=[3,4, 5]", "layers", [3, 4, 5]),
    ("layers=[]", "layers", []),
    ("steps = 4 ,rate=1e-3", "rate", 0.001),
)


@each("text")("steps=1.5", "rate=x", "flag=maybe", "layers=7", "steps=[1]", "other=1", "steps=1,steps=2", "layers[0]=3")
def test_a_text_that_cannot_be_read_is_an_error_and_changes_nothing(text):
    found = params()
    with pytest.raises(ValueError, match=r"."):
        found.parse(text)
    assert found.values() == params().values()


@pytest.mark.parametrize(("name", "value"), [("steps", 2.0), ("steps", True), ("flag", 1), ("name", 3), ("layers", 3)])
def test_a_value_of_another_type_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        params().set_hparam(name, value)


def test_values_go_to_a_dict_to_json_and_into_copies():
    found = copy.deepcopy(params()).parse_json('{"steps": 5, "rate": 1}')
    assert found.values() == {"steps": 5, "rate": 1.0, "flag": True, "name": "x", "layers": [1, 2], "none": None}
    assert found.to_json(sort_keys=True).startswith('{"flag": true, "layers": [1, 2]')
    assert str(found).startswith("steps=5,rate=1.0,")
    assert "steps" in found
    assert found.get("other", 3) == 3


def test_a_name_is_taken_once():
    for name in ("steps", "values"):
        with pytest.raises(ValueError, match=name):
            params().add_hparam(name, 2)


def test_a_tpu_estimators_values_are_added_to_a_copy():
    given = HParams(rate=0.5)
    more = copy_with(given, batch_size=8, use_tpu=False)
    assert (more.values(), given.values()) == ({"rate": 0.5, "batch_size": 8, "use_tpu": False}, {"rate": 0.5})
    assert copy_with(more, batch_size=4).batch_size == 4
    mapping = {"rate": 0.5}
    assert (copy_with(mapping, batch_size=8), mapping) == ({"rate": 0.5, "batch_size": 8}, {"rate": 0.5})
