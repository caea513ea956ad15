"""Gemini CLI: its hook events, what it sends with them and what it reads back.

Source: the public hooks reference of Gemini CLI 0.5x. It names no limit for context; ours is that of the other hosts.
"""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import SPECIFIC, Host, Rule

EVENTS = {
    "SessionStart": Rule("session_start", 3.0, context=SPECIFIC),
    "BeforeAgent": Rule("prompt", 1.5, context=SPECIFIC),
    # Only what is denied or rewritten reaches the agent before a tool runs.
    "BeforeTool": Rule("observe"),
    "AfterTool": Rule("after_tool", context=SPECIFIC),
    "AfterAgent": Rule("stop", 2.0, again=({"decision": "deny"}, "reason")),
    "PreCompress": Rule("before_compact"),
    "SessionEnd": Rule("session_end", 1.0),
    "Notification": Rule("observe"),
    "BeforeModel": Rule("observe"),
    "AfterModel": Rule("observe"),
    "BeforeToolSelection": Rule("observe", has_notice=False),
}

HOST = Host(
    "gemini",
    EVENTS,
    {
        "name": ("hook_event_name",),
        "session": ("session_id",),
        "cwd": ("cwd",),
        "transcript": ("transcript_path",),
        "prompt": ("prompt",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "message": ("prompt_response",),
        "is_repeat": ("stop_hook_active",),
        "source": ("source", "trigger"),
        "reason": ("reason",),
    },
    cap=9_500,
    measure="utf-16",
    notice="systemMessage",
)
