"""Answers as bytes: what a host reads, whatever the answer has to say."""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import Answer, Host, Rule, encode

LATE = "trivium: time was over before the guidance was complete (see trivium hook status)"
"""What the user is told; printable ASCII without quotes, so that it needs no encoder."""


def encoded(host: Host, name: str, rule: Rule, answer: Answer) -> bytes:
    """One line of JSON in ASCII."""
    if rule.is_silent:
        return b""
    import json

    return json.dumps(encode(host, name, rule, answer)).encode("ascii") + b"\n"


def neutral(rule: Rule) -> bytes:
    """The answer that changes nothing, made without an encoder."""
    if rule.is_silent:
        return b""
    words = (f'"{key}": {str(value).lower()}' for key, value in rule.neutral.items())
    return ("{" + ", ".join(words) + "}\n").encode("ascii")


def late(host: Host, rule: Rule) -> bytes:
    """What is given when time is over before there is anything: the user is told, where a host has a place for it."""
    if not host.notice or not rule.has_notice or rule.is_silent:
        return neutral(rule)
    return f'{{"{host.notice}": "{LATE}"}}\n'.encode("ascii")
