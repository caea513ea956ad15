"""From the bytes that a host sent to an event, whatever they are: nothing here fails on any input."""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import Event, Host

TYPE_CHECKING = False  # a hook must not load what typing loads
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 64 * 1024 * 1024
"""More input than this is not looked at."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_TEXTS = (
    "session",
    "cwd",
    "transcript",
    "prompt",
    "tool_name",
    "message",
    "source",
    "reason",
    "summary",
    "path",
    "change",
)
_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth value"}


class Reading:
    """What came of the input: an event, or none; `problems` says what was wrong; `is_malformed` that it was no JSON."""

    __slots__ = ("event", "is_malformed", "problems")

    def __init__(self) -> None:
        self.event: Event | None = None
        self.problems: list[str] = []
        self.is_malformed = False


def read_event(host: Host, name: str, data: bytes) -> Reading:
    """The event in some bytes. `name` is the event that the command line speaks of, or empty."""
    reading = Reading()
    values = _decoded(data, reading)
    if values is None:
        return reading
    known = {key: _first(values, names) for key, names in host.fields.items()}
    if all(value is None for value in known.values()):
        reading.problems.append("the input has none of the fields of an event")
        return reading
    told = known["name"] if isinstance(known["name"], str) else ""
    if told and name and told != name:
        reading.problems.append(f"the command is for {name}, the input says {_shown(told)}")
    fired = told if told in host.events else name
    rule = host.events.get(fired)
    if rule is None:
        reading.problems.append(f"{host.name} has no event {_shown(told or name)}")
        return reading
    event = Event(host.name, fired, rule.kind)
    for key in _TEXTS:
        setattr(event, key, _text(key, known.get(key), reading))
    event.tool_input = _arguments(known.get("tool_input"), reading)
    event.is_repeat = _truth(known.get("is_repeat"), reading)
    event.problems = reading.problems
    reading.event = event
    return reading


def _decoded(data: bytes, reading: Reading) -> dict[str, Any] | None:
    if len(data) > MAX_BYTES:
        reading.problems.append(f"the input is larger than {MAX_BYTES} bytes")
        return None
    encoding = "utf-8"
    for mark, name in _BOMS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], name
            reading.problems.append("the input begins with a byte order mark")
            break
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        reading.problems.append(f"the input is not {encoding.upper()} (byte {error.start})")
        text = data.decode(encoding, "replace")
    if not text.strip():
        reading.problems.append("the input is empty")
        return None
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        reading.problems.append(f"the input is not JSON ({_shown(str(error))})")
        reading.is_malformed = True
        return None
    if not isinstance(values, dict):
        reading.problems.append(f"the input is {_kind(values)}, not an object")
        return None
    return values


def _first(values: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if values.get(name) is not None:
            return values[name]
    return None


def _text(key: str, value: Any, reading: Reading) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # Half of a surrogate pair can neither be stored nor hashed.
        return value.encode("utf-8", "replace").decode("utf-8")
    if key == "cwd" and isinstance(value, list):
        return _text(key, next((one for one in value if isinstance(one, str)), None), reading)
    if isinstance(value, int | float) and not isinstance(value, bool):
        reading.problems.append(f"{key} is a number")
        return str(value)
    reading.problems.append(f"{key} is {_kind(value)}, not a text")
    return ""


def _arguments(value: Any, reading: Reading) -> dict[str, Any]:
    if value is None or isinstance(value, dict):
        return value or {}
    if isinstance(value, str):
        import json

        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, dict):
            return inner
    reading.problems.append(f"tool_input is {_kind(value)}, not an object")
    return {"input": value} if isinstance(value, str) else {}


def _truth(value: Any, reading: Reading) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        return value > 0
    reading.problems.append(f"stop_hook_active is {_kind(value)}, not a truth value")
    # Whoever cannot say that this is the first time is let through.
    return True


def _kind(value: Any) -> str:
    return "null" if value is None else _NAMES[type(value)]


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 120 else text[:120] + "..."
