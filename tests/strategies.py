"""Hypothesis strategies that many tests share: names in many scripts, texts, payloads, histories of a journal."""

from __future__ import annotations

import string
from typing import Any, NamedTuple

from hypothesis import strategies as st

from trivium.model import PREDICATES

# -- texts

CJK = "日本語検索概念図中文知识图谱한국어검색データベースのトランザクション分離水準"
"""Characters of scripts that are written without blanks."""

_WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=8)


def characters() -> st.SearchStrategy[str]:
    """Any character that a text may hold: everything but surrogates and NUL."""
    return st.characters(exclude_categories=["Cs"], exclude_characters="\0")


def texts(*, min_size: int = 0, max_size: int = 80) -> st.SearchStrategy[str]:
    """Text of any script, with emoji, combining marks and controls."""
    return st.text(characters(), min_size=min_size, max_size=max_size)


def cjk_texts(*, min_size: int = 1, max_size: int = 40) -> st.SearchStrategy[str]:
    """Japanese, Chinese and Korean characters, with Latin ones and punctuation between them."""
    return st.text(CJK + "。、「」SQL v1 ", min_size=min_size, max_size=max_size)


def identifiers() -> st.SearchStrategy[str]:
    """Names as programs have them: camelCase, snake_case, paths, versions, dotted and decorated ones."""
    parts = st.lists(_WORDS, min_size=1, max_size=4)
    return st.one_of(
        parts.map("_".join),
        parts.map("-".join),
        parts.map(".".join),
        parts.map("/".join),
        parts.map("::".join),
        parts.map(lambda words: words[0] + "".join(map(str.capitalize, words[1:]))),
        parts.map(lambda words: "".join(map(str.capitalize, words))),
        st.tuples(*(st.integers(0, 99) for _ in range(3))).map(lambda number: "v{}.{}.{}".format(*number)),
        st.sampled_from(
            ["C++", "C#", ".NET", "std::vector<T>", "HTTP/2", "node_modules", "__init__", "a AND b", "@v1"]
        ),
    )


def names() -> st.SearchStrategy[str]:
    """Ids as a reference payload may give them: one line, no outer blanks, in form NFC."""
    return st.one_of(
        identifiers(),
        cjk_texts(max_size=12).map(str.strip).filter(bool),
        st.lists(_WORDS.map(str.capitalize), min_size=1, max_size=4).map(" ".join),
    )


def hostile_queries() -> st.SearchStrategy[str]:
    """What people and programs type: search syntax of other engines, unbalanced quotes, emoji, controls."""
    syntax = [
        "a AND",
        "NOT",
        '"',
        "'",
        "NEAR(",
        "*",
        "^a",
        "a:b",
        "--",
        ";",
        "%",
        "_",
        "\\",
        "C++",
        "🙂",
        "\ufeff",
        "\u202e",
    ]
    return st.one_of(texts(), st.lists(st.sampled_from(syntax), max_size=5).map(" ".join))


# -- payloads, as an agent sends them (documented schema, camelCase)


@st.composite
def payloads(draw: st.DrawFn, *, max_concepts: int = 5) -> dict[str, Any]:
    """A valid payload of `ref register`: every relation joins concepts of the payload."""
    ids = draw(st.lists(names(), min_size=1, max_size=max_concepts, unique_by=str.casefold))
    ends = st.sampled_from(ids)
    return {
        "reference": {
            "url": "https://example.org/" + draw(_WORDS),
            "title": draw(names()),
            **draw(st.fixed_dictionaries({}, optional={"publishedAt": st.just("2026-01-31T09:30:00Z")})),
        },
        "concepts": [
            {
                "id": identifier,
                "description": draw(st.one_of(cjk_texts().filter(str.strip), names())),
                **draw(st.fixed_dictionaries({}, optional={"details": names(), "type": _WORDS})),
            }
            for identifier in ids
        ],
        "relationships": draw(
            st.lists(
                st.fixed_dictionaries(
                    {"source": ends, "type": st.sampled_from(PREDICATES), "target": ends, "reason": names()}
                ),
                max_size=6,
                unique_by=lambda row: (row["source"], row["type"], row["target"]),
            )
        ),
    }


# -- histories, as the journal has them


class Step(NamedTuple):
    """One change of a history. An `undo` takes back the records that stand so many places before it."""

    op: str
    payload: dict[str, Any]
    undone: tuple[int, ...] = ()


POOL = ("A", "a", "B", "C", "データ", "C++", "snake_case")
"""So few names that histories meet themselves: renames to taken ids, merges of what was merged, ends that are gone."""

URLS = ("https://example.org/1", "https://example.org/2", "urn:three")
_SENTENCES = st.sampled_from(["one", "two", "三", "four 4"])
_POOLED = st.sampled_from(POOL)


def _sometimes(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional)


def _joined(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


def _quoted() -> st.SearchStrategy[dict[str, Any]]:
    return st.sampled_from([{}, {"quote": "q"}, {"quote": "二", "selector": {"start": 1, "end": 2}}])


_ENDS = {"subject": _POOLED, "predicate": st.sampled_from(PREDICATES[:3]), "object": _POOLED}
_MOMENTS = st.sampled_from(["2025-01-01T00:00:00.000Z", "2026-02-03T04:05:06.000Z"])
_REFERENCES = _joined(
    st.fixed_dictionaries({"url": st.sampled_from(URLS), "title": _SENTENCES}),
    _sometimes(published_at=_MOMENTS, fetched_at=_MOMENTS, content_hash=st.just("0" * 64)),
)
_CONCEPTS = _joined(
    st.fixed_dictionaries({"id": _POOLED, "description": _SENTENCES}),
    _sometimes(details=_SENTENCES, type=st.just("idea"), aliases=st.lists(_POOLED, max_size=2, unique=True)),
    _quoted(),
)
_RELATIONS = _joined(
    st.fixed_dictionaries({**_ENDS, "reason": _SENTENCES}),
    _sometimes(confidence=st.sampled_from([0, 0.5, 1]), method=st.sampled_from(["deterministic", "llm", "user"])),
    _quoted(),
)
_SOME = st.lists(_POOLED, min_size=1, max_size=3, unique=True)

_PAYLOADS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "register": st.fixed_dictionaries(
        {
            "reference": _REFERENCES,
            "concepts": st.lists(_CONCEPTS, min_size=1, max_size=4, unique_by=lambda row: row["id"]),
            "relations": st.lists(_RELATIONS, max_size=4),
        }
    ),
    "archive": _joined(st.fixed_dictionaries({"ids": _SOME}), _sometimes(reason=_SENTENCES)),
    "unarchive": st.fixed_dictionaries({"ids": _SOME}),
    "delete": st.fixed_dictionaries({"ids": _SOME}),
    "rename": st.fixed_dictionaries({"id": _POOLED, "new_id": _POOLED}),
    "merge": st.fixed_dictionaries({"into": _POOLED, "ids": _SOME}),
    "withdraw": st.fixed_dictionaries({"url": st.sampled_from(URLS)}),
    "unlink": st.fixed_dictionaries({"relations": st.lists(st.fixed_dictionaries(_ENDS), min_size=1, max_size=2)}),
}


def steps() -> st.SearchStrategy[Step]:
    """One change: registrations twice as often as each of the others, for all others need something to act on."""
    changes = [payload.map(lambda value, op=op: Step(op, value)) for op, payload in _PAYLOADS.items()]
    undos = st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True)
    return st.one_of(changes[0], *changes, undos.map(lambda places: Step("undo", {}, tuple(places))))


def histories(*, max_size: int = 12) -> st.SearchStrategy[list[Step]]:
    """Changes that one machine makes, in order."""
    return st.lists(steps(), min_size=1, max_size=max_size)


def meetings(*, max_size: int = 14) -> st.SearchStrategy[list[tuple[int, Step | None]]]:
    """What two machines do: (machine, change), or (machine, None) where it takes in what the other has recorded."""
    return st.lists(st.tuples(st.integers(0, 1), st.one_of(steps(), steps(), st.none())), min_size=2, max_size=max_size)
