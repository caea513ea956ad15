"""Passages and their vectors: what the dense index is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trivium.model import Vector
from trivium.store.base import PassageRow
from trivium.store.sqlite.connection import AMONG, numbers
from trivium.store.sqlite.writer import Writer

_MISSING = "NOT EXISTS (SELECT 1 FROM vector v WHERE v.embedder = ? AND v.text_hash = p.text_hash)"


class VectorTables(Writer):
    """A vector belongs to a text, named by its hash, and to the embedder that made it."""

    # -- passages

    def put_passages(self, entity: int, passages: Sequence[PassageRow]) -> None:
        """Replace the passages of an entity."""
        with self.write():
            self.connection.execute("DELETE FROM passage WHERE entity = ?", (entity,))
            self.connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?, ?)", passages)

    def missing_vectors(
        self, embedder: str, limit: int, *, after: bytes = b""
    ) -> list[tuple[int, int, bytes, int, int]]:
        """Passages whose text has no vector of this embedder: (entity, ordinal, text hash, start, end), each text once.

        Rows come by text hash: giving the last one as `after` goes on behind it, without passing over all earlier ones.
        """
        return self._all(
            f"""SELECT entity, ordinal, text_hash, start, end FROM passage p WHERE p.text_hash > ? AND {_MISSING}
            GROUP BY text_hash ORDER BY text_hash LIMIT ?""",
            (after, embedder, limit),
        )

    def missing_vector_count(self, embedder: str) -> int:
        """How many different passage texts have no vector of this embedder."""
        row = self._one(f"SELECT count(DISTINCT text_hash) FROM passage p WHERE {_MISSING}", (embedder,))
        return 0 if row is None else int(row[0])

    def is_vector_missing(self, embedder: str, entities: Iterable[int]) -> bool:
        """Whether a passage of these entities has no vector of this embedder."""
        query = f"SELECT 1 FROM passage p WHERE p.entity IN {AMONG} AND {_MISSING} LIMIT 1"
        return self._one(query, (numbers(entities), embedder)) is not None

    def passage_hashes(self) -> set[bytes]:
        """The hashes of every passage."""
        return {text_hash for (text_hash,) in self._each("SELECT DISTINCT text_hash FROM passage")}

    # -- vectors

    def has_vectors(self, embedder: str) -> bool:
        """Whether any text has a vector of this embedder."""
        return self._one("SELECT 1 FROM vector WHERE embedder = ? LIMIT 1", (embedder,)) is not None

    def known_hashes(self, embedder: str, hashes: Iterable[bytes]) -> set[bytes]:
        """Those of the text hashes that have a vector of this embedder."""
        query = "SELECT 1 FROM vector WHERE embedder = ? AND text_hash = ?"
        with self.read():
            return {text_hash for text_hash in set(hashes) if self._one(query, (embedder, text_hash))}

    def vectors_by_hash(self, embedder: str, hashes: Iterable[bytes]) -> Iterator[tuple[bytes, Vector]]:
        """(text hash, vector) for those of the texts that this embedder has seen."""
        query = "SELECT data FROM vector WHERE embedder = ? AND text_hash = ?"
        for text_hash in hashes:
            row = self._one(query, (embedder, text_hash))
            if row is not None:
                yield text_hash, row[0]

    def put_vectors(self, embedder: str, vectors: Iterable[tuple[bytes, Vector]]) -> None:
        """Store vectors by the hash of their text; a text is never stored twice for one embedder."""
        rows = [(embedder, text_hash, data) for text_hash, data in vectors]
        with self.write():
            self.connection.executemany(
                "INSERT OR IGNORE INTO vector(embedder, text_hash, data) VALUES (?, ?, ?)", rows
            )

    def vectors_after(self, embedder: str, seq: int, *, is_used_only: bool = False) -> Iterator[tuple[int, Vector]]:
        """(sequence number, vector) of one embedder, ascending, from behind `seq`."""
        # The plus sign keeps the engine from walking through all vectors of the embedder by their hash.
        used = "AND EXISTS (SELECT 1 FROM passage p WHERE p.text_hash = v.text_hash)" if is_used_only else ""
        query = f"SELECT seq, data FROM vector v WHERE +embedder = ? AND seq > ? {used} ORDER BY seq"
        return self._each(query, (embedder, seq))

    def vectors_by_seq(self, seqs: Iterable[int]) -> list[tuple[int, Vector]]:
        """(sequence number, vector) for some sequence numbers, ascending."""
        return self._all(f"SELECT seq, data FROM vector WHERE seq IN {AMONG} ORDER BY seq", (numbers(seqs),))

    def last_vector(self) -> int:
        """The highest sequence number of any vector."""
        row = self._one("SELECT coalesce(max(seq), 0) FROM vector")
        return 0 if row is None else int(row[0])

    def vector_span(self, embedder: str) -> tuple[int, int]:
        """How many vectors an embedder has and the highest sequence number among them."""
        row = self._one("SELECT count(*), coalesce(max(seq), 0) FROM vector WHERE embedder = ?", (embedder,))
        return (0, 0) if row is None else (row[0], row[1])

    # CROSS JOIN keeps the order written: from the few that are asked about to what belongs to them.

    def vector_owners(self, seqs: Iterable[int]) -> list[tuple[int, int, int]]:
        """(sequence number, entity key, passage ordinal) of vectors; a vector no text uses has no row."""
        return self._all(
            """SELECT v.seq, p.entity, p.ordinal FROM json_each(?) AS asked
            CROSS JOIN vector v ON v.seq = asked.value CROSS JOIN passage p ON p.text_hash = v.text_hash""",
            (numbers(seqs),),
        )

    def entity_vectors(self, embedder: str, keys: Iterable[int]) -> list[tuple[int, int]]:
        """(entity key, sequence number) of the vectors of some entities."""
        return self._all(
            """SELECT p.entity, v.seq FROM json_each(?) AS asked CROSS JOIN passage p ON p.entity = asked.value
            CROSS JOIN vector v ON v.embedder = ? AND v.text_hash = p.text_hash""",
            (numbers(keys), embedder),
        )

    def drop_vectors(self, *, except_embedder: str) -> int:
        """Delete vectors of other embedders and of texts that are gone; returns how many."""
        with self.write():
            return self.connection.execute(
                "DELETE FROM vector WHERE embedder <> ? OR text_hash NOT IN (SELECT text_hash FROM passage)",
                (except_embedder,),
            ).rowcount
