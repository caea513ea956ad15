"""The tools: what each is called, what it takes and what it does; more than eight would crowd an agent's context."""

from __future__ import annotations

from trivium.surfaces.mcp.tools.reading import READING
from trivium.surfaces.mcp.tools.tool import Desk, Tool
from trivium.surfaces.mcp.tools.writing import WRITING

__all__ = ["TOOLS", "Desk", "Tool"]

TOOLS: dict[str, Tool] = {**READING, **WRITING}
