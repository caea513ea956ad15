"""Values: problems as lines, notices in short, and whatever was given shown without harm."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.sources.references.values import (
    MAX_PROBLEMS,
    NOTICES_OF_A_KIND,
    Problem,
    Report,
    printable,
    shown,
    step,
)


def test_a_problem_reads_as_pointer_message_and_hint() -> None:
    assert str(Problem("/a/0", "is wrong", "did you mean b?")) == "/a/0: is wrong; did you mean b?"
    assert str(Problem("(root)", "is wrong")) == "(root): is wrong"


def test_problems_name_the_root_and_the_line() -> None:
    report = Report()
    report.add("", "one")
    report.line = 7
    report.add("/3", "two", "hint")
    assert report.all_problems() == (Problem("(root)", "one"), Problem("/3", "line 7: two", "hint"))


def test_problems_past_the_limit_are_counted() -> None:
    report = Report()
    for number in range(MAX_PROBLEMS + 3):
        report.add(f"/{number}", "wrong")
    assert report.total == MAX_PROBLEMS + 3
    assert len(report.problems) == MAX_PROBLEMS
    assert report.all_problems()[-1].message.startswith("and 3 more problems")


def test_notices_keep_their_order_and_a_few_of_each_kind() -> None:
    report = Report()
    report.note("first kind", "")
    for number in range(NOTICES_OF_A_KIND + 2):
        report.note("second kind", f"/{number}")
    assert report.notices()[0] == "first kind"
    assert report.notices()[1] == "second kind: /0"
    assert report.notices()[-1] == "second kind: and 2 more"
    assert len(report.notices()) == NOTICES_OF_A_KIND + 2


def test_pointers_escape_and_shorten_keys() -> None:
    assert step("/a", 3) == "/a/3"
    assert step("", "a/b~c") == "/a~1b~0c"
    assert step("", "a\nb") == "/a\\u000ab"
    assert len(step("", "k" * 1000)) < 70


@given(st.text(st.characters()))
def test_what_is_shown_is_printable_and_can_be_encoded(text: str) -> None:
    assert printable(text).isprintable()
    assert shown(text).encode()
    assert len(shown(text)) <= 10 * 60 + 3
    if text.isprintable() and len(text) <= 60:
        assert shown(text) == f'"{text}"'
