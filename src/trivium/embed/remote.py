"""Vectors from an HTTP endpoint that speaks the OpenAI embeddings API: OpenAI, Ollama, LM Studio, vLLM and others."""

from __future__ import annotations

import json
import math
import os
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trivium.embed.base import well_formed
from trivium.embed.options import number, prefixes, whole
from trivium.errors import ConfigError, EmbedderError, MissingExtraError

if TYPE_CHECKING:
    import ssl

    import httpx

    from trivium.embed.base import Progress

INSTALL = "pip install 'trivium[remote]'"
DEFAULT_ENDPOINT = "https://api.openai.com/v1"
_BATCH_CHARS = 100_000
_LONGEST_WAIT_S = 30.0
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class RemoteEmbedder:
    """A model behind an endpoint. No request is made before the first text, or before `dim` where it is not yet known.

    Options: `endpoint` (the URL up to and with /v1), `api_key`, `dimensions` (asked of the model, part of its
    identity), `timeout_s` (of one request), `retries`, `backoff_s` (before the first retry, doubled for each further
    one), `batch_size`, `prefixes`, `query_prefix`, `passage_prefix`. The key is sent to the endpoint and appears
    nowhere else.
    """

    is_remote = True

    def __init__(self, model: str, cache_dir: str, options: Mapping[str, str]) -> None:
        self._model = model
        self._endpoint, self._place = _endpoint(options.get("endpoint") or DEFAULT_ENDPOINT)
        self._key = options.get("api_key", "")
        self._key_variable = options.get("api_key_variable", "OPENAI_API_KEY")
        self._asked_dim = whole(options, "dimensions", 0, 1, 65536)
        self._timeout_s = number(options, "timeout_s", 60.0, 0.01, 3600.0)
        self._retries = whole(options, "retries", 4, 0, 20)
        self._backoff_s = number(options, "backoff_s", 0.5, 0.0, _LONGEST_WAIT_S)
        self._batch_size = whole(options, "batch_size", 64, 1, 2048)
        self._query_prefix, self._passage_prefix = prefixes(options)
        self.id = self._identity()
        self._note = os.path.join(cache_dir, "embed", "dimensions", "".join(_letters(self.id)) + ".txt")
        self._dim = self._asked_dim or _read_number(self._note)
        self._verify: ssl.SSLContext | bool | None = None

    def _identity(self) -> str:
        parts = [f"openai/{self._model}@{self._place}"]
        if self._asked_dim:
            parts.append(str(self._asked_dim))
        if self._query_prefix or self._passage_prefix:
            import hashlib

            both = json.dumps((self._query_prefix, self._passage_prefix))
            parts.append(hashlib.sha256(both.encode()).hexdigest()[:8])
        return "/".join(parts)

    @property
    def dim(self) -> int:
        """From the options or the cache; asked of the endpoint with one short text when neither knows."""
        if not self._dim:
            self.embed(("dimensions",))
        return self._dim

    def embed(
        self, texts: Sequence[str], *, is_query: bool = False, on_progress: Progress | None = None
    ) -> list[bytes]:
        """See `Embedder.embed`; raises `EmbedderError` when the endpoint answers nothing usable after all retries."""
        prefix = self._query_prefix if is_query else self._passage_prefix
        vectors: list[bytes] = []
        if not texts:
            return vectors
        # An empty text is refused by several servers: a blank stands for it.
        with self._connected() as client:
            for batch in self._batches([well_formed(prefix + text) or " " for text in texts]):
                vectors += self._answered(client, batch)
                if on_progress is not None:
                    on_progress(len(vectors), len(texts))
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for text in texts:
            if batch and (len(batch) >= self._batch_size or size + len(text) > _BATCH_CHARS):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += len(text)
        if batch:
            yield batch

    def _answered(self, client: httpx.Client, batch: Sequence[str]) -> list[bytes]:
        asked: dict[str, Any] = {"model": self._model, "input": list(batch), "encoding_format": "float"}
        if self._asked_dim:
            asked["dimensions"] = self._asked_dim
        answer = self._posted(client, asked)
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or len(rows) != len(batch):
            raise self._failure(
                f"answered {len(rows) if isinstance(rows, list) else 'no'} vectors for {len(batch)} texts"
            )
        vectors: list[bytes] = [b""] * len(batch)
        for place, row in enumerate(rows):
            index = row.get("index", place) if isinstance(row, dict) else -1
            if not isinstance(index, int) or not 0 <= index < len(batch) or vectors[index]:
                raise self._failure("answered vectors without their order")
            vectors[index] = self._unit(row.get("embedding"))
        return vectors

    def _unit(self, values: Any) -> bytes:
        try:
            vector = array("f", values)
            length = math.sqrt(math.fsum(value * value for value in vector))
        except (TypeError, OverflowError) as error:
            raise self._failure("answered something else than numbers") from error
        if not 0.0 < length < math.inf:
            raise self._failure("answered a vector without a length")
        if self._dim and len(vector) != self._dim:
            known, self._dim = self._dim, 0
            _write(self._note, "")
            raise self._failure(
                f"answered {len(vector)} dimensions where there were {known}",
                hint="The model behind this name has changed, or does not take the option 'dimensions': "
                "correct the settings, then embed everything again",
            )
        if not self._dim:
            self._dim = len(vector)
            _write(self._note, str(self._dim))
        unit = array("f", [value / length for value in vector])
        if not _is_little_endian():
            unit.byteswap()
        return unit.tobytes()

    def _posted(self, client: httpx.Client, asked: Mapping[str, Any]) -> Any:
        """The decoded answer to one request, after as many retries as it takes or as are allowed."""
        import httpx

        reason = ""
        for attempt in range(self._retries + 1):
            wait_s = min(self._backoff_s * 2**attempt, _LONGEST_WAIT_S)
            try:
                response = client.post(self._endpoint + "/embeddings", json=asked)
            except (httpx.TimeoutException, httpx.TransportError) as error:
                reason = self._clean(f"did not answer ({type(error).__name__}: {error})")
            else:
                if response.status_code == 200:
                    return self._decoded(response)
                reason = self._clean(f"answered {response.status_code}: {_message(response)}")
                if response.status_code not in _RETRIED:
                    raise self._failure(reason, hint=self._advice(response.status_code))
                wait_s = max(wait_s, _asked_wait(response))
            if attempt < self._retries:
                time.sleep(wait_s)
        raise self._failure(
            f"{reason}, {self._retries + 1} times", hint="Check that the endpoint is up, then try again"
        )

    def _connected(self) -> httpx.Client:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("A remote embedder needs the package httpx", hint=INSTALL) from error
        if self._verify is None:
            # Reading the certificates takes longer than a request: once, and not at all where none are needed.
            self._verify = httpx.create_ssl_context() if self._endpoint.startswith("https:") else False
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.Client(headers=headers, timeout=self._timeout_s, verify=self._verify, follow_redirects=False)

    def _decoded(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self._failure("answered something else than JSON") from error

    def _advice(self, status: int) -> str:
        if status in (401, 403):
            return f"Set the key in {self._key_variable}" + (": the one there is was refused" if self._key else "")
        if status == 404:
            return "Check the endpoint, which ends in /v1 for most servers, and that it has this model"
        return "Check the endpoint and the name of the model"

    def _failure(self, reason: str, *, hint: str = "Check the endpoint and the name of the model") -> EmbedderError:
        return EmbedderError(f"The embedder {self._model!r} at {self._place} {reason}", hint=hint)

    def _clean(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _endpoint(text: str) -> tuple[str, str]:
    """(URL to send to, place to show): no credentials in the second. Raises `ConfigError`."""
    from urllib.parse import urlsplit

    parts = urlsplit(text.strip().rstrip("/"))
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ConfigError(
            "The endpoint must be a URL such as http://localhost:11434/v1, without a query",
            hint="Set it up to the part that stands before /embeddings",
        )
    path = parts.path.removesuffix("/embeddings")
    return f"{parts.scheme}://{parts.netloc}{path}", f"{host}{path}"


def _message(response: httpx.Response) -> str:
    """What a server says went wrong, in one line."""
    try:
        body = response.json()
    except ValueError:
        body = response.text
    if isinstance(body, dict):
        error = body.get("error", body.get("detail", body))
        body = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(body).split())[:300] or response.reason_phrase


def _asked_wait(response: httpx.Response) -> float:
    """Seconds that a server asks to wait, 0 when it does not say, never long."""
    try:
        return min(max(float(response.headers.get("retry-after", "0")), 0.0), _LONGEST_WAIT_S)
    except ValueError:  # a date
        return 0.0


def _letters(text: str) -> Iterator[str]:
    for letter in text:
        yield letter if letter.isascii() and (letter.isalnum() or letter in "-.") else "_"


def _read_number(note: str) -> int:
    try:
        with open(note, encoding="ascii") as stream:
            return int(stream.read())
    except (OSError, ValueError):
        return 0


def _write(note: str, text: str) -> None:
    """Remember for the next process; without it, that process asks again."""
    try:
        os.makedirs(os.path.dirname(note), exist_ok=True)
        with open(note, "w", encoding="ascii") as stream:
            stream.write(text)
    except OSError:
        return


def _is_little_endian() -> bool:
    import sys

    return sys.byteorder == "little"
