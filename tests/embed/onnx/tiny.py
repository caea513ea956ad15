"""Writes ONNX models of a few hundred bytes: a table of embeddings, and what a test wants done with its rows."""

from __future__ import annotations

import json
import struct
from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "one", "two", "three", "four", "five", "six"]
DIM = 4


def table() -> list[list[float]]:
    """The row of each word."""
    return [[1.0 + ((7 * row + 3 * column) % 11) / 4 for column in range(DIM)] for row in range(len(WORDS))]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, inputs: list[str], outputs: list[str], attributes: bytes = b"") -> bytes:
    return _bytes(
        1,
        b"".join(_bytes(1, name) for name in inputs)
        + b"".join(_bytes(2, name) for name in outputs)
        + _bytes(4, kind)
        + attributes,
    )


def _value(field: int, name: str, kind: int, dimensions: list[str | int]) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, size) if isinstance(size, str) else _number(1, size)) for size in dimensions)
    return _bytes(field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape))))


def _table(rows: list[list[float]]) -> bytes:
    data = b"".join(struct.pack(f"<{DIM}f", *row) for row in rows)
    return _bytes(5, _number(1, len(rows)) + _number(1, DIM) + _number(2, 1) + _bytes(8, "table") + _bytes(9, data))


def graph(kind: str = "tokens", inputs: tuple[str, ...] = ("input_ids", "attention_mask"), integer: int = 7) -> bytes:
    """A model: `tokens` gives a row for each token, `pooled` also their mean, `quantized` scales rows over the batch.

    `integer` is the ONNX number of the type of its inputs: 7 for int64, 6 for int32.
    """
    nodes = _node("Gather", ["table", inputs[0]], ["last_hidden_state" if kind != "quantized" else "rows"])
    outputs = _value(12, "last_hidden_state", 1, ["batch", "sequence", DIM])
    if kind == "pooled":
        axes = _bytes(5, _bytes(1, "axes") + _number(8, 1) + _number(20, 7))
        keep = _bytes(5, _bytes(1, "keepdims") + _number(3, 0) + _number(20, 2))
        nodes += _node("ReduceMean", ["last_hidden_state"], ["sentence_embedding"], axes + keep)
        outputs += _value(12, "sentence_embedding", 1, ["batch", DIM])
    if kind == "quantized":
        nodes += _node("DynamicQuantizeLinear", ["rows"], ["bytes", "scale", "zero"])
        nodes += _node("DequantizeLinear", ["bytes", "scale", "zero"], ["last_hidden_state"])
    given = b"".join(_value(11, name, integer, ["batch", "sequence"]) for name in inputs)
    body = nodes + _bytes(2, "tiny") + _table(table()) + given + outputs
    return _number(1, 8) + _bytes(7, body) + _bytes(8, _number(2, 13))


def tokenizer() -> str:
    """A fast tokenizer that knows WORDS and frames a text with [CLS] and [SEP]."""
    special = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    frame = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    return json.dumps(
        {
            "version": "1.0",
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing", "single": frame, "pair": frame, "special_tokens": special},
            "model": {
                "type": "WordLevel",
                "vocab": {word: number for number, word in enumerate(WORDS)},
                "unk_token": "[UNK]",
            },
        }
    )


def folder(path: Path, kind: str = "tokens", **files: object) -> str:
    """A model folder; further files are given as name=content: `__` stands for a slash, `_json` for the suffix."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "model.onnx").write_bytes(graph(kind))
    (path / "tokenizer.json").write_text(tokenizer())
    for name, content in files.items():
        file = path / (name.removesuffix("_json").replace("__", "/") + ".json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    return str(path)
