"""A name that is assigned again in another cell is another variable, where that is sure."""

import ast

from migrate.analysis.source.versions import number_assignments, remove_numbers
from tests.cases import each


def told_apart(text):
    new = number_assignments(text, ast.parse(text))
    assert remove_numbers(new) == text
    return new.replace("ǃ", "_")


def test_each_assignment_is_told_apart_and_a_use_sees_the_last_one_above_it():
    text = "m = make()\nm.train(m)\nm = again(m)\nfor i in m:\n    print(i, m)\nm = 3\nm"
    assert told_apart(text) == (
        "m = make()\nm.train(m)\nm_2 = again(m)\nfor i in m_2:\n    print(i, m_2)\nm_3 = 3\nm_3"
    )


@each("text")(
    "m = 1\nm = 2\ndef f():\n    return m\n",
    "m = 1\nm = 2\nprint([m for i in x])\n",
    "m = 1\nif x:\n    m = 2\n",
    "for m in x:\n    pass\nm = 2\n",
    "m = 1\nm += 2\nm = 3\n",
    "m = 1\nm = 2\ndel m\n",
    "m = 1\nm, n = 2, 3\n",
    "def f():\n    global m\n    m = 1\nm = 2\nm = 3\n",
    "m = 1\nm = 2\nǃ = 3\n",
)
def test_a_name_stays_where_it_is_not_sure_what_a_use_sees(text):
    assert number_assignments(text, ast.parse(text)) == text


def test_a_variable_of_a_function_by_the_same_name_is_no_hindrance():
    text = "m = 1\nm = 2\ndef f(m):\n    n = m\n    return n\nn = m\n"
    assert told_apart(text) == "m = 1\nm_2 = 2\ndef f(m):\n    n = m\n    return n\nn = m_2\n"
