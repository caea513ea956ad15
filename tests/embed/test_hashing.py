"""The hashing embedder is the same on every machine and finds shared words and parts of words."""

from __future__ import annotations

import hashlib
from array import array

import pytest

from trivium.embed.hashing import HashEmbedder


def _cosine(one: str, other: str) -> float:
    a, b = (array("f", vector) for vector in HashEmbedder().embed([one, other]))
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_bytes_are_fixed() -> None:
    (vector,) = HashEmbedder(64).embed(["How do I undo the last commit? 最後のコミット"])
    assert len(vector) == 256
    assert hashlib.sha256(vector).hexdigest()[:16] == "8bdb0deb176854b9"


def test_the_dimensions_are_part_of_the_identity() -> None:
    assert {HashEmbedder(dim).id for dim in (64, 256)} == {"hash-1/64", "hash-1/256"}


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("undo a commit", "committing and undoing", "bake an apple pie"),
        ("データベース接続", "データベースの接続プール", "りんごのパイを焼く"),
        ("連線池", "資料庫連線池已耗盡", "蘋果派食譜"),
        ("ＡＢＣ Straße", "abc strasse", "xyz gasse"),
    ],
)
def test_shared_parts_count(query: str, near: str, far: str) -> None:
    assert _cosine(query, near) > _cosine(query, far) + 0.1


def test_the_order_of_words_does_not_count() -> None:
    assert _cosine("one two three", "three one two") == pytest.approx(1.0, abs=1e-6)
