"""Every failure a caller may see, as one tree with a stable code and a process exit status.

```
TriviumError                  code           exit
+- UsageError                 usage           2
|  +- ConfigError             config          2
|  +- PayloadError            payload         2
|  +- EvidenceError           evidence        2
|  +- AmbiguousError          ambiguous       2
+- NotFoundError              not_found       1
+- ConflictError              conflict        1
+- StoreError                 store           1
|  +- StoreVersionError       store_version   1
+- IndexMissingError          index_missing   3
+- IndexStaleError            index_stale     4
+- EmbedderError              embedder        1
   +- MissingExtraError       missing_extra   1
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class TriviumError(Exception):
    """A failure with a message, optional detail lines (one problem each) and an optional next step."""

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, details: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)
        self.hint = hint


class UsageError(TriviumError):
    """A request that cannot be right."""

    code = "usage"
    exit_status = 2


class ConfigError(UsageError):
    """A setting that cannot be used: says the key, the value and where it came from."""

    code = "config"


class PayloadError(UsageError):
    """Input that does not fit its schema: `details` holds every problem with its JSON pointer."""

    code = "payload"


class EvidenceError(UsageError):
    """A quote that does not stand verbatim in the source it names."""

    code = "evidence"


class AmbiguousError(UsageError):
    """A name that fits several things: `details` lists them, none is guessed."""

    code = "ambiguous"


class NotFoundError(TriviumError):
    """Nothing has this id: `details` may list the nearest ones."""

    code = "not_found"


class ConflictError(TriviumError):
    """The request contradicts what is stored."""

    code = "conflict"


class StoreError(TriviumError):
    """The store cannot be read or written."""

    code = "store"


class StoreVersionError(StoreError):
    """The store was written by a newer program."""

    code = "store_version"


class IndexMissingError(TriviumError):
    """An index that the request needs has not been built."""

    code = "index_missing"
    exit_status = 3


class IndexStaleError(TriviumError):
    """An index was built from something else than the settings say."""

    code = "index_stale"
    exit_status = 4


class EmbedderError(TriviumError):
    """A text could not be turned into a vector."""

    code = "embedder"


class MissingExtraError(EmbedderError):
    """An optional dependency is not installed: the hint is the exact install line."""

    code = "missing_extra"
