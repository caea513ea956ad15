"""Cursor: its hook events, what it sends with them and what it reads back.

Source: the public hooks reference of Cursor 2.x/3.x. A submitted prompt cannot be given context; what was found for it
is handed over with the first tool result of the same turn, and the start of a session has a place of its own.
"""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import Host, Rule

_FOLLOW_UP: tuple[dict[str, str], str] = ({}, "followup_message")

EVENTS = {
    "sessionStart": Rule("session_start", 3.0, context="additional_context"),
    "beforeSubmitPrompt": Rule("prompt", 1.5, neutral={"continue": True}),
    # A permission that is not given leaves the host's own settings in force.
    "preToolUse": Rule("observe"),
    "postToolUse": Rule("after_tool", context="additional_context"),
    "stop": Rule("stop", 2.0, again=_FOLLOW_UP),
    "subagentStop": Rule("subagent_stop", 2.0, again=_FOLLOW_UP),
    "preCompact": Rule("before_compact"),
    "sessionEnd": Rule("session_end", 1.0),
    **dict.fromkeys(
        (
            "subagentStart",
            "postToolUseFailure",
            "beforeShellExecution",
            "afterShellExecution",
            "beforeMCPExecution",
            "afterMCPExecution",
            "beforeReadFile",
            "afterFileEdit",
            "beforeTabFileRead",
            "afterTabFileEdit",
            "afterAgentResponse",
            "afterAgentThought",
        ),
        Rule("observe"),
    ),
}

HOST = Host(
    "cursor",
    EVENTS,
    {
        "name": ("hook_event_name",),
        "session": ("conversation_id", "session_id"),
        "cwd": ("cwd", "workspace_roots"),
        "transcript": ("transcript_path", "agent_transcript_path"),
        "prompt": ("prompt",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "message": ("text", "summary"),
        # How often a stop was answered with a message of ours.
        "is_repeat": ("loop_count",),
        "source": ("trigger",),
        "reason": ("reason", "status"),
    },
    cap=9_500,
    measure="utf-16",
    notice="",
)
