"""Names lead to embedders, wrong names to advice, and nothing heavy is loaded on the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trivium.embed import registry
from trivium.embed.registry import embedder_id, is_prepared, open_embedder, prefetch
from trivium.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "identity", "dim", "is_remote"),
    [
        ("use", "use-multilingual-3/0.2.1", 512, False),
        ("hash", "hash-1/512", 512, False),
        ("hash:64", "hash-1/64", 64, False),
    ],
)
def test_a_name_opens_its_embedder(tmp_path: Path, name: str, identity: str, dim: int, is_remote: bool) -> None:
    embedder = open_embedder(name, cache_dir=str(tmp_path))
    assert (embedder.id, embedder.dim, embedder.is_remote) == (identity, dim, is_remote)
    assert embedder_id(name, cache_dir=str(tmp_path)) == identity
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_embedder(tmp_path: Path) -> None:
    options = {"endpoint": "http://localhost:11434/v1", "dimensions": "256"}
    embedder = open_embedder("openai:some-model", cache_dir=str(tmp_path), options=options)
    assert (embedder.id, embedder.dim) == ("openai/some-model@localhost:11434/v1/256", 256)
    assert embedder.is_remote


def test_options_may_stand_in_the_name_and_win_there(tmp_path: Path) -> None:
    beside = {"endpoint": "http://localhost:1/v1", "dimensions": "64", "api_key": "sk-secret"}
    embedder = open_embedder("openai:m?dimensions=256&endpoint=http://host/v1", cache_dir=str(tmp_path), options=beside)
    assert embedder.id == "openai/m@host/v1/256"
    plain, options = registry.split("onnx:a/b?query_prefix=find:+&passage_prefix=&pooling=cls", beside)
    assert plain == "onnx:a/b"
    assert options == {**beside, "query_prefix": "find: ", "passage_prefix": "", "pooling": "cls"}


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("openai:m?dimension=256", "'dimensions'"),
        ("openai:m?api_key=sk-secret", "Options: "),
        ("onnx:a/b?poolin=cls", "'pooling'"),
        ("use?threads=1", "Options: none"),
        ("hash?dim=64", "Options: none"),
    ],
)
def test_an_option_that_does_not_exist_is_answered_with_those_that_do(tmp_path: Path, name: str, advice: str) -> None:
    with pytest.raises(ConfigError, match="has no option") as caught:
        open_embedder(name, cache_dir=str(tmp_path))
    assert advice in caught.value.hint
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("us", "'use'"),
        ("mini-lm", "'minilm'"),
        ("opnai:text-embedding-3-small", "'openai:text-embedding-3-small'"),
        ("onnx", "onnx: and then a folder"),
        ("openai:", "openai: and then the name of a model"),
        ("USE", "'use'"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_all(tmp_path: Path, name: str, advice: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(name, cache_dir=str(tmp_path))
    assert repr(name) in caught.value.message
    assert advice in caught.value.hint
    assert len(caught.value.details) == len(registry.FORMS)


@pytest.mark.parametrize("name", ["hash:", "hash:8", "hash:many", "hash:99999999", "hash:-64", "hash:²"])
def test_dimensions_that_cannot_be_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="from 16 to 65536"):
        open_embedder(name, cache_dir=str(tmp_path))


def test_being_prepared_is_known_beforehand(tmp_path: Path, use_cache: str) -> None:
    assert is_prepared("use", cache_dir=use_cache)
    assert is_prepared("hash", cache_dir=str(tmp_path))
    assert not is_prepared("onnx:some/model", cache_dir=str(tmp_path))
    assert is_prepared(f"onnx:{tmp_path}", cache_dir=str(tmp_path))


def test_prefetch_of_what_needs_nothing_does_nothing(tmp_path: Path) -> None:
    done = prefetch("hash", cache_dir=str(tmp_path))
    assert done == {"embedder": "hash-1/512", "cache_dir": str(tmp_path), "is_new": False, "bytes": 0}


def test_prefetch_of_the_default_checks_what_is_there(use_cache: str) -> None:
    done = prefetch("use", cache_dir=use_cache)
    assert (done["embedder"], done["is_new"]) == ("use-multilingual-3/0.2.1", False)


def test_the_identity_of_the_default_is_known_without_its_weights(tmp_path: Path) -> None:
    code = (
        "import sys; from trivium.embed.registry import embedder_id; print(embedder_id('use', cache_dir=sys.argv[1]));"
        "print(*{'numpy', 'simsimd', 'zipfile', 'hashlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["use-multilingual-3/0.2.1"]
