"""One source: what it is and which concepts it describes, in its own words."""

from __future__ import annotations

from typing import NamedTuple

from trivium.engine import Engine
from trivium.errors import NotFoundError
from trivium.model import Document, Entity, Evidence


class DocumentView(NamedTuple):
    """A source with the concepts it describes and what it says of each."""

    document: Document
    described: tuple[tuple[Entity, Evidence], ...]


def show_document(engine: Engine, uri: str) -> DocumentView:
    """Everything that was taken from one source. Raises `NotFoundError` with the nearest addresses."""
    space = engine.concepts_to_read()
    document = None if space is None else space.store.document(uri)
    if space is None or document is None:
        import difflib

        known = [] if space is None else [one.uri for one, _ in space.store.documents()]
        near = difflib.get_close_matches(uri, known, n=3)
        raise NotFoundError(f"No reference has the address {uri!r}.", details=[f"near: {one}" for one in near])
    store = space.store
    names = [
        concept["id"]
        for record in store.records(key=uri)
        if record.op == "register" and record.payload["reference"]["url"] == uri
        for concept in record.payload["concepts"]
    ]
    # A concept that was renamed or merged since is found under the name that it has now.
    entities = {one.key: one for name in dict.fromkeys(names) for one in store.resolve(name)}
    mentions = store.mentions(entities)
    described = [
        (entity, mention)
        for key, entity in entities.items()
        for mention in mentions.get(key, ())
        if mention.document == uri
    ]
    return DocumentView(document, tuple(described))
