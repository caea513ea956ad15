"""The changes themselves: a settings text with our entries, and one without them."""

from __future__ import annotations

from typing import Any

from trivium.errors import ConflictError
from trivium.surfaces.hooks.install.command import is_ours
from trivium.surfaces.hooks.install.jsontext import Node, Part, added, parse, removed, replaced


def is_flat(host: str) -> bool:
    """Whether entries stand in the list of an event itself, instead of in groups."""
    return host == "cursor"


def skeleton(host: str) -> str:
    """What a settings file of a host is that has nothing in it."""
    return '{\n  "version": 1\n}\n' if host == "cursor" else "{\n}\n"


def is_bare(text: str, host: str, where: str) -> bool:
    """Whether nothing is left in a settings text but what its skeleton has."""
    return not text.strip() or parse(text, where).value == parse(skeleton(host), where).value


def with_entries(text: str, host: str, where: str, wanted: dict[str, dict[str, Any]]) -> tuple[str, list[str]]:
    """The text with one entry for each event, and the containers that had to be made.

    What is there already stays where it is. Raises `UsageError` for a text that is not JSON, `ConflictError` for one
    whose hooks are not of the form that the host reads.
    """
    made: list[str] = []
    if not text.strip("\ufeff \t\r\n"):
        text += skeleton(host)
    for event, entry in wanted.items():
        root = _checked(parse(text, where), where)
        hooks = root.member("hooks")
        group = entry if is_flat(host) else {"hooks": [entry]}
        if hooks is None:
            text = added(text, root, {event: [group]}, "hooks")
            made += ["hooks", event]
            continue
        listed = hooks.node.member(event)
        if listed is None:
            text = added(text, hooks.node, {event: [group]}[event], event)
            made.append(event)
            continue
        own = [node for node in _entries(listed.node, host) if is_ours(node.value, host)]
        if not own:
            text = added(text, listed.node, group)
        elif own[0].value != entry:
            text = replaced(text, own[0], entry)
    return text, made


def without_entries(
    text: str, host: str, where: str, *, made: list[str] | None = None, keep: tuple[str, ...] = ()
) -> str:
    """The text without our entries, those of the events in `keep` excepted.

    A container that becomes empty goes too when it was `made` by us, or when nobody knows who made it (None).
    """
    while True:
        root = _checked(parse(text, where), where)
        hooks = root.member("hooks")
        if hooks is None:
            return text
        found = next((hit for hit in _own(hooks.node, host) if hit[0].key not in keep), None)
        if found is None:
            break
        text = _taken(text, host, *found)
    for part in [part for part in hooks.node.parts if part.node.value == [] and part.key not in keep]:
        if made is None or part.key in made:
            hooks = _checked(parse(text, where), where).member("hooks")
            assert hooks is not None
            at = next(at for at, one in enumerate(hooks.node.parts) if one.key == part.key)
            text = removed(text, hooks.node, at)
    root = parse(text, where)
    hooks = root.member("hooks")
    if hooks is not None and not hooks.node.parts and (made is None or "hooks" in made):
        text = removed(text, root, next(at for at, part in enumerate(root.parts) if part is hooks))
    return text


def entries(text: str, host: str, where: str) -> dict[str, list[tuple[int, int, dict[str, Any]]]]:
    """Our entries: event to (place of the group, place in the group, entry)."""
    hooks = _checked(parse(text, where), where).member("hooks") if text.strip("\ufeff \t\r\n") else None
    found: dict[str, list[tuple[int, int, dict[str, Any]]]] = {}
    for listed, at, inner in _own(hooks.node, host) if hooks else ():
        group = listed.node.parts[at].node
        entry = group.value if is_flat(host) else group.value["hooks"][inner]
        found.setdefault(listed.key, []).append((at, inner, entry))
    return found


def _checked(root: Node, where: str) -> Node:
    """The document, if its hooks are of the form that is edited here."""
    if not isinstance(root.value, dict):
        raise ConflictError(f"{where} is not an object; it was left as it is.")
    hooks = root.value.get("hooks")
    if hooks is not None and not isinstance(hooks, dict):
        raise ConflictError(f"The hooks in {where} are not an object; the file was left as it is.")
    for event, listed in (hooks or {}).items():
        if not isinstance(listed, list) and event not in ("enabled", "disabled", "notifications"):
            raise ConflictError(f"The hooks of {event} in {where} are not a list; the file was left as it is.")
    return root


def _entries(listed: Node, host: str) -> list[Node]:
    if is_flat(host):
        return [part.node for part in listed.parts]
    groups = (part.node.member("hooks") for part in listed.parts)
    return [part.node for group in groups if group is not None for part in group.node.parts]


def _own(hooks: Node, host: str) -> list[tuple[Part, int, int]]:
    """Our entries: the event, the place of the group, the place in it (0 where there are no groups)."""
    found = []
    for listed in hooks.parts:
        for at, part in enumerate(listed.node.parts):
            if is_flat(host):
                if is_ours(part.node.value, host):
                    found.append((listed, at, 0))
                continue
            inner = part.node.member("hooks")
            for place, entry in enumerate(inner.node.parts if inner else ()):
                if is_ours(entry.node.value, host):
                    found.append((listed, at, place))
    return found


def _taken(text: str, host: str, listed: Part, at: int, inner: int) -> str:
    """The text without one entry; a group that held nothing else goes with it."""
    if not is_flat(host):
        group = listed.node.parts[at].node.member("hooks")
        assert group is not None
        if len(group.node.parts) > 1:
            return removed(text, group.node, inner)
    return removed(text, listed.node, at)
