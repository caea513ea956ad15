"""The protocol through the SDK's own client: what is listed, what it costs, and that every tool can be called."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from trivium.surfaces.mcp.calls import Calls
from trivium.surfaces.mcp.tools import TOOLS

from .conftest import PAYLOAD

Ask = Callable[..., Any]

CHARS_A_TOKEN = 4
"""An approximation; counted with two public vocabularies the list has 3 to 6 % fewer tokens than this says."""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_list_of_tools_is_small(ask: Ask, mode: str) -> None:
    async def listed(client: Client) -> Any:
        return await client.list_tools()

    tools = ask(listed, mode=mode).model_dump(by_alias=True, exclude_none=True, mode="json")["tools"]
    assert len(tools) <= 8
    assert len(json.dumps(tools, separators=(",", ":"))) / CHARS_A_TOKEN <= 1_500
    for tool in tools:
        assert tool["description"]
        hints = tool["annotations"]
        assert hints["readOnlyHint"] == TOOLS[tool["name"]].is_reading
        assert hints["readOnlyHint"] or hints["destructiveHint"] is False


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_with_an_object_and_the_same_as_text(ask: Ask, mode: str) -> None:
    asked: dict[str, dict[str, Any]] = {
        "recall": {"query": "log", "limit": "2", "depth": None},
        "show": {"id": "WAL mode"},
        "connect": {"id": "WAL mode", "to": "checkpoint"},
        "history": {},
        "status": {},
        "register": PAYLOAD,
        "curate": {"action": "archive", "ids": ["checkpoint"]},
    }

    async def question(client: Client) -> None:
        for name, arguments in asked.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result)
            assert json.loads(result.content[0].text) == result.structured_content
            assert result.structured_content["items"]
        long = await client.call_tool("register", {**PAYLOAD, "concepts": [{"id": f"c{n}"} for n in range(200)]})
        assert long.is_error
        rest = await client.call_tool("more", {"handle": long.structured_content["more"]})
        assert rest.structured_content["items"]
        assert {*asked, "more"} == TOOLS.keys()

    ask(question, mode=mode)


def test_failures_are_results_that_a_model_can_read(ask: Ask) -> None:
    async def question(client: Client) -> None:
        result = await client.call_tool("recall", {"query": "x", "depth": 1e9})
        assert result.is_error
        assert result.structured_content["error"]["message"] == "depth must be from 0 to 4, not 1000000000.0."
        assert (await client.call_tool("recal", {})).structured_content["error"]["code"] == "not_found"

    ask(question)


def test_resources_are_listed_to_the_end_and_read(ask: Ask, filled: Calls) -> None:
    strange = {"id": "50% of a/b? #1 ü", "description": "An id with everything in it."}
    others = [{"id": f"thing {number}", "description": f"Thing {number}."} for number in range(120)]
    reference = {"url": "https://e.example/a?b=c#d", "title": "E"}
    assert not filled.call("register", {"reference": reference, "concepts": [strange, *others]}).is_error

    async def question(client: Client) -> None:
        found, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            found += page.resources
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(found) == len({one.uri for one in found}) == 1 + 2 + 3 + 121
        for name in (strange["id"], "WAL mode", "E"):
            uri = next(one.uri for one in found if one.name == name)
            content = (await client.read_resource(uri)).contents[0]
            assert json.loads(content.text)["items"][0].get("id", "E") == (name if name != "E" else "E")
        types = (await client.read_resource("trivium://types")).contents[0]
        assert "REPLACES" in types.text
        assert len((await client.list_resource_templates()).resource_templates) == 2

    ask(question)


def test_what_is_not_there_is_a_protocol_error(ask: Ask) -> None:
    async def question(client: Client) -> None:
        for uri in ("trivium://concept/nothing", "trivium://concept/", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError):
            await client.list_resources(cursor="x")
        with pytest.raises(MCPError):
            await client.get_prompt("nothing")
        with pytest.raises(MCPError, match="Missing: source"):
            await client.get_prompt("remember")

    ask(question)


def test_prompts_carry_what_was_given(ask: Ask) -> None:
    async def question(client: Client) -> None:
        names = [one.name for one in (await client.list_prompts()).prompts]
        assert names == ["remember", "recall", "curate", "investigate"]
        text = (await client.get_prompt("remember", {"source": "https://x.example"})).messages[0].content.text
        assert "https://x.example" in text
        assert "DEPENDS_ON" in text
        assert "{" not in (await client.get_prompt("curate")).messages[0].content.text

    ask(question)
