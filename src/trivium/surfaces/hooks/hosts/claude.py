"""Claude Code: its hook events, what it sends with them and what it reads back.

Source: the public hooks reference of Claude Code 2.1.x. Context counts as 10,000 UTF-16 units before it is replaced by
a preview; the margin leaves room for what the host itself adds.
"""

from __future__ import annotations

from trivium.surfaces.hooks.protocol import SPECIFIC, Host, Rule

_AGAIN = ({"decision": "block"}, "reason")

EVENTS = {
    "SessionStart": Rule("session_start", 3.0, context=SPECIFIC),
    "UserPromptSubmit": Rule("prompt", 1.5, context=SPECIFIC),
    "UserPromptExpansion": Rule("observe", context=SPECIFIC),
    "PreToolUse": Rule("before_tool", context=SPECIFIC),
    "PostToolUse": Rule("after_tool", context=SPECIFIC),
    "PostToolUseFailure": Rule("observe", context=SPECIFIC),
    "PostToolBatch": Rule("observe", context=SPECIFIC),
    "SubagentStart": Rule("subagent_start", context=SPECIFIC),
    "Stop": Rule("stop", 2.0, again=_AGAIN),
    "SubagentStop": Rule("subagent_stop", 2.0, again=_AGAIN),
    "PreCompact": Rule("before_compact"),
    "PostCompact": Rule("after_compact"),
    # All hooks of the end of a session share a budget of 1.5 s.
    "SessionEnd": Rule("session_end", 1.0),
    "FileChanged": Rule("file_changed"),
    **dict.fromkeys(
        (
            "Notification",
            "StopFailure",
            "PermissionRequest",
            "PermissionDenied",
            "PreModelSwitch",
            "PostModelSwitch",
            "Setup",
            "TeammateIdle",
            "TaskCreated",
            "TaskCompleted",
            "Elicitation",
            "ElicitationResult",
            "ConfigChange",
            "InstructionsLoaded",
            "CwdChanged",
            "DirectoryAdded",
            "MessageDisplay",
            "PreSkillShellCommand",
        ),
        Rule("observe"),
    ),
    # What is written here is read as the path of a worktree.
    **dict.fromkeys(("WorktreeCreate", "WorktreeRemove"), Rule("observe", is_silent=True)),
}

HOST = Host(
    "claude",
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
        "summary": ("compact_summary",),
        "path": ("file_path", "path"),
        "change": ("event",),
    },
    cap=9_500,
    measure="utf-16",
    notice="systemMessage",
)
