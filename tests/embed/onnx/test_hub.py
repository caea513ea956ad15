"""A model is fetched once from a hub, whole, and never asked for again; no network is an answer within seconds."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from embed.conftest import Answer, Asked, Server
from embed.onnx import tiny
from trivium.embed.onnx.hub import local_snapshot, snapshot
from trivium.embed.registry import embedder_id, is_prepared, open_embedder, prefetch
from trivium.errors import ConfigError, EmbedderError

constants = pytest.importorskip("huggingface_hub.constants")


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub of these tests is on the loopback: the offline mode that all tests run in would refuse it."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _hub(files: dict[str, bytes]) -> Callable[[Asked], Answer]:
    """Answers like a hub that has one model, some/model."""
    about = {
        "id": "some/model",
        "sha": COMMIT,
        "siblings": [{"rfilename": name, "size": len(data)} for name, data in files.items()],
    }

    def reply(asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        if path == "/api/models/some/model/revision/main":
            return Answer(200, about)
        name = path.removeprefix(f"/some/model/resolve/{COMMIT}/")
        if name not in files:
            return Answer(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        tag = hashlib.sha1(files[name], usedforsecurity=False).hexdigest()
        return Answer(200, files[name], {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "none"})

    return reply


FILES = {
    "README.md": b"not wanted",
    "pytorch_model.bin": b"not wanted" * 1000,
    "config.json": b'{"hidden_size": 4}',
    "1_Pooling/config.json": b'{"pooling_mode_cls_token": true}',
    "tokenizer.json": tiny.tokenizer().encode(),
    "onnx/model.onnx": tiny.graph(),
    "onnx/model.onnx_data": b"weights beside",
    "onnx/model_O4.onnx": b"not wanted",
}


def test_what_is_needed_is_fetched_once(server: Server, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    server.reply = _hub(FILES)
    options = {"hub_endpoint": server.url}
    assert not is_prepared("onnx:some/model", cache_dir=str(tmp_path), options=options)
    told: list[tuple[int, int]] = []
    done = prefetch(
        "onnx:some/model",
        cache_dir=str(tmp_path),
        options=options,
        on_progress=lambda now, end: told.append((now, end)),
    )
    assert done["is_new"] is True
    assert str(done["embedder"]).startswith("onnx/some/model/")
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] == sum(len(FILES[name]) for name in FILES if FILES[name][:3] != b"not")
    fetched = {asked.path.partition(f"{COMMIT}/")[2] for asked in server.asked if asked.method == "GET"} - {""}
    assert fetched == {name for name in FILES if FILES[name][:3] != b"not"}
    asked = len(server.asked)
    embedder = open_embedder("onnx:some/model", cache_dir=str(tmp_path), options=options)
    assert len(embedder.embed(["one"])[0]) == 16
    assert embedder_id("onnx:some/model", cache_dir=str(tmp_path), options=options) == done["embedder"]
    assert prefetch("onnx:some/model", cache_dir=str(tmp_path), options=options)["is_new"] is False
    assert len(server.asked) == asked


def test_a_fetched_model_needs_no_hub_package(server: Server, tmp_path: Path) -> None:
    server.reply = _hub(FILES)
    folder = snapshot("some/model", str(tmp_path), {"hub_endpoint": server.url})
    code = (
        "import sys; sys.modules['huggingface_hub'] = None\n"
        "from trivium.embed.onnx.hub import snapshot\n"
        "print(snapshot('some/model', sys.argv[1], {}))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == folder


def test_a_snapshot_that_lost_a_file_is_fetched_again(server: Server, tmp_path: Path) -> None:
    server.reply = _hub(FILES)
    options = {"hub_endpoint": server.url}
    folder = Path(snapshot("some/model", str(tmp_path), options))
    (folder / "onnx" / "model.onnx").unlink()
    assert local_snapshot("some/model", str(tmp_path), options) is None
    snapshot("some/model", str(tmp_path), options)
    assert (folder / "onnx" / "model.onnx").read_bytes() == FILES["onnx/model.onnx"]


def test_a_damaged_note_is_not_believed(server: Server, tmp_path: Path) -> None:
    server.reply = _hub(FILES)
    options = {"hub_endpoint": server.url}
    snapshot("some/model", str(tmp_path), options)
    note = tmp_path / "embed" / "hub" / "some--model" / "main.json"
    for content in ("{", "[]", json.dumps({"commit": COMMIT}), json.dumps({"commit": 1, "files": {}})):
        note.write_text(content)
        assert local_snapshot("some/model", str(tmp_path), options) is None


def test_a_model_without_what_is_needed_is_refused_before_anything_is_fetched(server: Server, tmp_path: Path) -> None:
    for missing in ("tokenizer.json", "onnx/model.onnx"):
        server.reply = _hub({name: data for name, data in FILES.items() if name != missing and "O4" not in name})
        with pytest.raises(EmbedderError, match=r"tokenizer\.json|ONNX"):
            snapshot("some/model", str(tmp_path), {"hub_endpoint": server.url})
    assert all("/resolve/" not in asked.path for asked in server.asked)


def test_a_model_that_does_not_exist_is_named(server: Server, tmp_path: Path) -> None:
    server.reply = _hub(FILES)
    with pytest.raises(EmbedderError, match="'other/model' is not in the cache") as caught:
        snapshot("other/model", str(tmp_path), {"hub_endpoint": server.url})
    assert "local folder" in caught.value.hint
    assert len(server.asked) == 1


def test_no_network_is_reported_after_one_attempt(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(EmbedderError, match="could not be fetched") as caught:
            snapshot("some/model", str(tmp_path), {"hub_endpoint": endpoint})
    assert "network" in caught.value.hint


def test_offline_mode_is_honoured(server: Server, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom trivium.embed.onnx.hub import snapshot\nfrom trivium.errors import EmbedderError\n"
        "try:\n    snapshot('some/model', sys.argv[1], {'hub_endpoint': sys.argv[2]})\n"
        "except EmbedderError as error:\n    print(error.message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), server.url],
        capture_output=True,
        text=True,
        check=True,
        env={"HF_HUB_OFFLINE": "1"},
    )
    assert "HF_HUB_OFFLINE" in done.stdout
    assert server.asked == []


@pytest.mark.parametrize("name", ["a/b/c", "/no/such/folder", "./none", "a b/c", "../x", "a/", "C:\\models\\e5"])
def test_what_is_neither_a_folder_nor_an_id_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="Neither a folder nor a hub id"):
        open_embedder(f"onnx:{name}", cache_dir=str(tmp_path))
