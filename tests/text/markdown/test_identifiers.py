"""Papers told from prices, figures and versions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.markdown.identifiers import arxiv, dois


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (" see 2605.18747v1 and arXiv:1706.03762, https://arxiv.org/abs/2305.16291 ",
         ["2605.18747", "1706.03762", "2305.16291"]),
        ("x 1706.03762\n", ["1706.03762"]),
        ("(2305.16291). [2305.16292] 2305.16293。2305.16294.pdf",
         ["2305.16291", "2305.16292", "2305.16293", "2305.16294"]),
        ("arXiv:0706.1234 arxiv 1205.5000 1205.5000v2", ["0706.1234", "1205.5000", "1205.5000"]),
        ("hep-th/9901001 https://arxiv.org/abs/math.GT/0309136v2 cs/0112017",
         ["hep-th/9901001", "math.GT/0309136", "cs/0112017"]),
        ("bad 0324.1227 0365.25006 1213.1925 12305.16291 2305.123 2305.123456", []),
        ("costs 1205.5000 EUR, sum 9912.1234, $2305.16291, 2305.16291 %, t=2001.00001, -2001.00001, 2001.00001 ms", []),
        ("v2305.16291 x2305.16291 2305.16291.1 4512.12345 a/2305.16291", []),
        ("hep-th/9913001 docs/cs/0112017 foo/9901001 hep-th/99010011 hep-th/5001001", []),
        ("arXiv:1412.12345 arXiv:1501.1234", []),
    ],
)  # fmt: skip
def test_arxiv(text: str, ids: list[str]) -> None:
    assert [found[0] for found in sorted(arxiv(text), key=lambda found: found[2])] == ids


def test_versions_and_spans() -> None:
    text = "see arXiv:1706.03762v12. And hep-th/9901001v3!"
    assert [(id_, version, text[start:end]) for id_, version, start, end in arxiv(text)] == [
        ("1706.03762", "v12", "1706.03762v12"),
        ("hep-th/9901001", "v3", "hep-th/9901001v3"),
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("doi:10.1000/ABC.(1). x", ["10.1000/abc.(1)"]),
        ("https://doi.org/10.1145/3292500.3330701)", ["10.1145/3292500.3330701"]),
        ("(see 10.1002/(SICI)1097-4571(199806)49:8)", ["10.1002/(sici)1097-4571(199806)49:8"]),
        ("version 10.12/x, 210.1000/x, 10.1000/", []),
    ],
)
def test_dois(text: str, ids: list[str]) -> None:
    assert [found[0] for found in dois(text)] == ids


@given(st.integers(7, 39), st.integers(1, 12), st.integers(1, 9999))
def test_every_real_form_is_found(year: int, month: int, number: int) -> None:
    digits = 4 if (year, month) < (15, 1) else 5
    id_ = f"{year:02}{month:02}.{number:0{digits}}"
    if id_ >= "0704":
        assert [found[0] for found in arxiv(f"arXiv:{id_}")] == [id_]


@given(st.text("0123456789.v/ arXivhepth-$", max_size=60))
def test_spans_hold_what_they_say(text: str) -> None:
    for id_, version, start, end in arxiv(text):
        assert text[start:end].lower() == (id_ + version).lower()
