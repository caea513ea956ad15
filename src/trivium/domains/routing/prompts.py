"""What of a prompt is asked: the words of a person, not what was pasted, in pieces that an embedder can take in."""

from __future__ import annotations

import re

from trivium.text.passages import passages

MAX_CHARS = 600
"""A longer prompt is asked by its beginning and by its end: the question stands at one of them."""

_REACH = 4_000
_PASTED = re.compile(r"<pasted_content\b[^>]*>.*?(?:</pasted_content>|\Z)", re.DOTALL)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BLOCKS = re.compile(r"<(system-reminder|command-[a-z]+|local-command-[a-z]+)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL)


def windows(prompt: str) -> list[str]:
    """One or two texts of at most about MAX_CHARS; none for a blank prompt.

    Pasted content, fenced code and what the host added are left out when something else remains.
    """
    text = prompt if len(prompt) <= 2 * _REACH else prompt[:_REACH] + "\n\n" + prompt[-_REACH:]
    for pattern in (_BLOCKS, _PASTED, _FENCED):
        bare = pattern.sub("\n", text) if len(text) > 8 else text
        text = bare if bare.strip() else text
    text = text.strip()
    if not text:
        return []
    if len(text) <= MAX_CHARS:
        return [text]
    spans = passages(text, size=MAX_CHARS)
    (first, last) = spans[0], spans[-1]
    if last[1] - last[0] < MAX_CHARS // 4 and len(spans) > 1:
        last = (spans[-2][0] if len(spans) > 2 else last[0], last[1])
    return list(dict.fromkeys(text[start:end].strip() for start, end in (first, last)))
