"""Finding by meaning: exact nearest vectors from memory-mapped files, and from rows not packed into them yet."""

from trivium.index.dense.chain import remove_matrix
from trivium.index.dense.matrix import Matrix, append_matrix, write_matrix
from trivium.index.dense.ranking import Row, cosine, merge, scan

__all__ = ["Matrix", "Row", "append_matrix", "cosine", "merge", "remove_matrix", "scan", "write_matrix"]
