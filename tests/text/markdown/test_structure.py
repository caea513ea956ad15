"""What the CommonMark parser says, in characters of the whole text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown.structure import definitions, structure


def test_offsets_are_those_of_the_whole_text() -> None:
    body = "é `c` [x](y.md) <b>\n\n# Ü\n"
    found = structure(body, 100, wants_parts=False)
    assert [body[start - 100 : end - 100] for start, end in found.literal] == ["`c`"]
    assert [body[link.start - 100 : link.end - 100] for link in found.links] == ["[x](y.md)"]
    assert [body[start - 100 : end - 100] for start, end in found.html] == ["<b>"]
    assert [body[head.start - 100 : head.end - 100] for head in found.headings] == ["# Ü\n"]
    assert found.parts == []


def test_parts_are_the_blocks() -> None:
    body = "para\n\n- item\n  - child\n\n# head\n"
    found = structure(body, 0, wants_parts=True)
    parts = sorted(body[start:end].strip() for start, end in found.parts)
    assert parts == ["# head", "- child", "- item\n  - child", "para"]


def test_definitions_fold_case_and_spaces() -> None:
    assert definitions("[Foo  Bar]: x.md\n[foo bar]: y.md\n") == {"foo bar": "x.md"}


@given(
    st.lists(st.sampled_from(["\t", "    ", "  ", "- a\n", "x\n", "\n", "# h\n", "`c`\n", "é\n"]), max_size=25).map(
        "".join
    )
)
def test_outdented_code_keeps_its_places(body: str) -> None:
    plain = structure(body, 0, wants_parts=True)
    found = structure(body, 0, wants_parts=True, outline_levels=4)
    assert len(found.headings) >= len(plain.headings)
    for head in found.headings:
        assert body[head.start : head.end].strip() in ("# h", "#")
    for start, end in found.literal:
        assert body[start:end] == "`c`" or (start, end) in found.indented
