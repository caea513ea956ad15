"""Resources: concepts and sources by address, for a host that attaches them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote

from trivium.domains.references import browse
from trivium.domains.references.documents import show_document
from trivium.errors import NotFoundError, UsageError
from trivium.surfaces.mcp import rows
from trivium.surfaces.mcp.answers import Row
from trivium.surfaces.mcp.prompts import vocabulary
from trivium.surfaces.mcp.tools import Desk

VOCABULARY = "trivium://types"
CONCEPT = "trivium://concept/"
DOCUMENT = "trivium://document/"

PAGE = 50
MAX_RESOURCE_CHARS = 400_000


class Listed(NamedTuple):
    """One page of what there is: address, name, description; and the place at which the next one begins."""

    items: tuple[tuple[str, str, str], ...]
    next_place: int | None


def listing(desk: Desk, place: int) -> Listed:
    """The vocabulary, then every source, then the concepts, the newest first."""
    documents = browse.list_references(desk.engine)
    fixed = 1 + len(documents)
    items = []
    if place == 0:
        items.append((VOCABULARY, "relation types", "What A TYPE B means"))
    for document, count in documents[max(0, place - 1) : max(0, place + PAGE - 1)]:
        items.append((DOCUMENT + quote(document.uri, safe=""), document.title, f"{document.uri} ({count} concepts)"))
    room = PAGE - len(items)
    concepts = browse.list_concepts(desk.engine, limit=max(1, room), offset=max(0, place - fixed))
    if room > 0:
        for entity in concepts.items[:room]:
            items.append((CONCEPT + quote(entity.id, safe=""), entity.id, entity.description[:200]))
    end = place + len(items)
    return Listed(tuple(items), end if end < fixed + concepts.total else None)


def place_of(cursor: str | None) -> int:
    """Where a page begins. Raises `UsageError` for a cursor that no list gave."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise UsageError(f"No list goes on at {cursor[:40]!r}.")
    return int(cursor)


def content(desk: Desk, address: str) -> Row | str:
    """What stands at an address. Raises `NotFoundError`."""
    if address == VOCABULARY:
        return vocabulary()
    for prefix in (CONCEPT, DOCUMENT):
        if address.startswith(prefix) and len(address) > len(prefix):
            name = unquote(address.removeprefix(prefix))
            found = (
                rows.view(browse.show(desk.engine, name))
                if prefix == CONCEPT
                else rows.document(show_document(desk.engine, name))
            )
            return desk.shelf.answer(list(found), MAX_RESOURCE_CHARS)
    raise NotFoundError(f"There is nothing at {address[:100]!r}.", hint=f"Addresses: {CONCEPT}NAME, {DOCUMENT}ADDRESS")
