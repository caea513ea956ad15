"""One guidance file read: its bytes, their hash, and the entries in it."""

from __future__ import annotations

import hashlib
import os

from trivium.sources.guidance.survey import MAX_BYTES, Found
from trivium.sources.guidance.values import Problem, Reading

PARSER_VERSION = 1
"""Stored with what was read: entries of another version are read again."""


def read_bytes(found: Found) -> bytes | Problem:
    """The content of a file, or why there is none."""
    if found.stat[0] > MAX_BYTES:
        return Problem(0, f"the file has {found.stat[0]} bytes, more than {MAX_BYTES}: not read")
    try:
        with open(found.path, "rb", buffering=0) as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        return Problem(0, f"the file cannot be read: {error.strerror}")


def digest(data: bytes) -> bytes:
    """16 bytes of the SHA-256 of a file: what it is recognised by, wherever it lies."""
    return hashlib.sha256(data).digest()[:16]


def parse(data: bytes, found: Found) -> Reading:
    """The entries of a file by the shape of its root. Never raises."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Reading(
            problems=(Problem(line, f"the file is not UTF-8: byte 0x{data[error.start]:02x}"),), is_broken=True
        )
    name = os.path.basename(found.path)
    stem = name.removesuffix(".md").removesuffix(".mdc").removesuffix(".instructions")
    if found.root.shape == "skills":
        from trivium.sources.guidance.skills import read_skill

        return read_skill(text, os.path.basename(os.path.dirname(found.path)))
    if found.root.shape == "memories":
        from trivium.sources.guidance.memories import read_memories

        return read_memories(text, stem)
    from trivium.sources.guidance.rules import read_instructions, read_rule

    return read_instructions(text, stem) if found.root.shape == "instructions" else read_rule(text, stem)
