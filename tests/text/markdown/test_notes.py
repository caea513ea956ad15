"""What a note is called."""

from __future__ import annotations

import pytest

from trivium.text.markdown import parse


@pytest.mark.parametrize(
    ("text", "given", "name"),
    [
        ("---\ntitle: Kettle care\n---\n# Descaling\n", "Kettle care", "Kettle care"),
        ("---\ntitle: 2026-05-26\n---\n", "2026-05-26", "2026-05-26"),
        ("---\ntitle: [a]\n---\n# H\n", None, "H"),
        ("---\ntitle: ' '\n---\n", None, "stem"),
        ("title:: Page\n", "Page", "Page"),
        ("text\n\ntitle:: Not the page\n", None, "stem"),
    ],
)
def test_names(text: str, given: str | None, name: str) -> None:
    note = parse(text)
    assert note.given_title == given
    assert note.name("stem") == name
