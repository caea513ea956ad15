"""Codex: its hook events, what it sends with them and what it reads back.

Source: the public output schemas of Codex 0.16x, which refuse any key they do not know. Context counts as 2,500 tokens
of four bytes before it is cut.
"""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import SPECIFIC, Host, Rule

_AGAIN = ({"decision": "block"}, "reason")

EVENTS = {
    "SessionStart": Rule("session_start", 3.0, context=SPECIFIC),
    "UserPromptSubmit": Rule("prompt", 1.5, context=SPECIFIC),
    "PreToolUse": Rule("before_tool", context=SPECIFIC),
    "PostToolUse": Rule("after_tool", context=SPECIFIC),
    "SubagentStart": Rule("subagent_start", context=SPECIFIC),
    "Stop": Rule("stop", 2.0, again=_AGAIN),
    "SubagentStop": Rule("subagent_stop", 2.0, again=_AGAIN),
    "PreCompact": Rule("before_compact"),
    "PostCompact": Rule("after_compact"),
    "PermissionRequest": Rule("observe"),
    # Both are cut off after 3 s.
    "SessionEnd": Rule("session_end", 1.0),
    "Interrupt": Rule("observe"),
}

HOST = Host(
    "codex",
    EVENTS,
    {
        "name": ("hook_event_name",),
        "session": ("session_id",),
        "cwd": ("cwd",),
        "transcript": ("transcript_path",),
        "prompt": ("prompt",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "message": ("last_assistant_message",),
        "is_repeat": ("stop_hook_active",),
        "source": ("source", "trigger"),
        "reason": ("reason",),
    },
    cap=9_500,
    measure="utf-8",
    notice="systemMessage",
)
