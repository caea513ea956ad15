"""What was probably meant: the nearest key or relation type for a word that is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.model import PREDICATES

_KEYS: Mapping[str, str] = {
    "name": "id",
    "label": "id",
    "concept": "id",
    "identifier": "id",
    "summary": "description",
    "desc": "description",
    "definition": "description",
    "text": "description",
    "detail": "details",
    "notes": "details",
    "content": "details",
    "synonyms": "aliases",
    "alias": "aliases",
    "aka": "aliases",
    "alsoknownas": "aliases",
    "kind": "type",
    "category": "type",
    "relation": "type",
    "relationship": "type",
    "rel": "type",
    "edge": "type",
    "evidence": "quote",
    "citation": "quote",
    "excerpt": "quote",
    "from": "source",
    "head": "source",
    "start": "source",
    "to": "target",
    "tail": "target",
    "end": "target",
    "because": "reason",
    "why": "reason",
    "explanation": "reason",
    "rationale": "reason",
    "description": "reason",
    "justification": "reason",
    "score": "confidence",
    "probability": "confidence",
    "certainty": "confidence",
    "edges": "relationships",
    "links": "relationships",
    "triples": "relationships",
    "nodes": "concepts",
    "entities": "concepts",
    "document": "reference",
    "uri": "url",
    "link": "url",
    "href": "url",
    "address": "url",
    "headline": "title",
    "published": "publishedAt",
    "date": "publishedAt",
    "publicationdate": "publishedAt",
    "createdat": "publishedAt",
    "fetched": "fetchedAt",
    "retrievedat": "fetchedAt",
    "accessed": "fetchedAt",
    "accessedat": "fetchedAt",
}
"""Folded words that other schemas use; a word is suggested only where that key exists."""

_TYPES: Mapping[str, str] = {
    "isakindof": "IS_A",
    "kindof": "IS_A",
    "typeof": "IS_A",
    "subclassof": "IS_A",
    "instanceof": "IS_A",
    "belongsto": "PART_OF",
    "componentof": "PART_OF",
    "containedin": "PART_OF",
    "memberof": "PART_OF",
    "has": "CONTAINS",
    "haspart": "CONTAINS",
    "includes": "CONTAINS",
    "comprises": "CONTAINS",
    "uses": "DEPENDS_ON",
    "requires": "DEPENDS_ON",
    "needs": "DEPENDS_ON",
    "reliesupon": "DEPENDS_ON",
    "relieson": "DEPENDS_ON",
    "realizes": "IMPLEMENTS",
    "realises": "IMPLEMENTS",
    "conformsto": "IMPLEMENTS",
    "inheritsfrom": "EXTENDS",
    "buildson": "EXTENDS",
    "basedon": "EXTENDS",
    "reads": "CONSUMES",
    "receives": "CONSUMES",
    "emits": "PRODUCES",
    "creates": "PRODUCES",
    "generates": "PRODUCES",
    "outputs": "PRODUCES",
    "returns": "PRODUCES",
    "modifies": "MUTATES",
    "changes": "MUTATES",
    "updates": "MUTATES",
    "similarto": "ALTERNATIVE_TO",
    "competeswith": "ALTERNATIVE_TO",
    "workswith": "INTEGRATES_WITH",
    "connectsto": "INTEGRATES_WITH",
    "associatedwith": "RELATED_TO",
    "relatesto": "RELATED_TO",
    "seealso": "RELATED_TO",
    "aliasof": "SAME_AS",
    "equivalentto": "SAME_AS",
    "synonymof": "SAME_AS",
    "supersedes": "REPLACES",
    "succeeds": "REPLACES",
    "obsoletes": "DEPRECATES",
}
_PASSIVE: Mapping[str, str] = {
    "usedby": "DEPENDS_ON",
    "requiredby": "DEPENDS_ON",
    "neededby": "DEPENDS_ON",
    "implementedby": "IMPLEMENTS",
    "extendedby": "EXTENDS",
    "consumedby": "CONSUMES",
    "producedby": "PRODUCES",
    "createdby": "PRODUCES",
    "mutatedby": "MUTATES",
    "changedby": "MUTATES",
    "replacedby": "REPLACES",
    "supersededby": "REPLACES",
    "deprecatedby": "DEPRECATES",
}
"""Types told from the other end."""

MAX_COMPARED_CHARS = 64


def nearest_key(word: str, allowed: Sequence[str]) -> str:
    """The allowed key that was probably meant, or ""."""
    folded = _folded(word)
    for key in allowed:
        if folded and folded == _folded(key):
            return key
    return _KEYS[folded] if _KEYS.get(folded) in allowed else _close(word, allowed)


def type_hint(word: str) -> str:
    """What to write instead of a word that is no relation type."""
    folded = _folded(word)
    if swapped := _PASSIVE.get(folded):
        return f"did you mean {swapped}, with the two ends exchanged?"
    same = next((name for name in PREDICATES if folded and _folded(name) == folded), "")
    meant = same or _TYPES.get(folded, "") or _close(word.upper(), PREDICATES)
    return f"did you mean {meant}?" if meant else "the types are " + ", ".join(PREDICATES)


def _folded(word: str) -> str:
    if len(word) > MAX_COMPARED_CHARS:
        return ""
    return "".join(c for c in word.casefold() if c.isalnum())


def _close(word: str, allowed: Sequence[str]) -> str:
    if len(word) > MAX_COMPARED_CHARS:
        return ""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, allowed, n=1, cutoff=0.6)), "")
