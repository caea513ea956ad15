"""The heading or block that a link names."""

from __future__ import annotations

import pytest

from trivium.sources.vault.anchors import find_anchor
from trivium.text.markdown import parse

TEXT = """# Log

## Done

one

### Café & co.

## Other

## Done

two ^blk

## `code` [[x|y]]
"""


@pytest.mark.parametrize(
    ("link", "line", "is_unique"),
    [
        ("[[n#Done]]", 3, False),
        ("[[n#done]]", 3, False),
        ("[[n#done-1]]", 11, True),
        ("[x](n.md#done)", 3, True),
        ("[x](n.md#done-1)", 11, True),
        ("[x](n.md#caf%C3%A9--co)", 7, True),
        ("[[n#Cafe\u0301 co]]", 7, True),
        ("[[n#Log#Done#Café & co.]]", 7, True),
        ("[[n#Other#Done]]", 11, True),
        ("[[n#code y]]", 15, True),
        ("[[n#^blk]]", 13, True),
        ("[[n#^BLK]]", 13, True),
    ],
)
def test_found(link: str, line: int, is_unique: bool) -> None:
    anchor = find_anchor(parse(TEXT), parse(link).links[0])
    assert anchor is not None
    assert (anchor.line, anchor.is_unique) == (line, is_unique)


@pytest.mark.parametrize("link", ["[[n]]", "[[n#]]", "[[n#Nope]]", "[[n#Café#Done]]", "[[n#^no]]", "[x](n.md#done-9)"])
def test_not_found(link: str) -> None:
    assert find_anchor(parse(TEXT), parse(link).links[0]) is None


def test_a_heading_stands_for_its_section() -> None:
    note = parse(TEXT)
    anchor = find_anchor(note, parse("[[n#Done]]").links[0])
    assert anchor is not None
    assert note.text[anchor.start : anchor.end] == "## Done\n\none\n\n### Café & co.\n\n"
    block = find_anchor(note, parse("[[n#^blk]]").links[0])
    assert block is not None
    assert note.text[block.start : block.end] == "two ^blk"
