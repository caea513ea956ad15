"""The two ends of the pipe, kept apart from what libraries print and read."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, NamedTuple


class Wire(NamedTuple):
    """What the client writes and what it reads; nobody else in this process holds either."""

    incoming: BinaryIO
    outgoing: BinaryIO


def claim() -> Wire:
    """Take standard input and output for the protocol alone, from this moment on.

    Whatever else is written to descriptor 1, by Python or by native code, comes out on standard error; whoever reads
    descriptor 0 finds an end. Done before anything heavy is imported, because imports print.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    incoming, outgoing = _private(0), _private(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    if nothing > 2:
        os.close(nothing)
    return Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))


def _private(descriptor: int) -> int:
    """A copy above the standard three: one that is closed must not be filled by a copy of another."""
    taken = []
    try:
        copy = os.dup(descriptor)
        while copy <= 2:
            taken.append(copy)
            copy = os.dup(descriptor)
    finally:
        for one in taken:
            os.close(one)
    return copy
