"""Markdown notes read into values: title, headings, links, tags, blocks, properties, tasks, paper ids, sections."""

from trivium.text.markdown.notes import Block, Heading, Identifier, Link, Note, Property, Section, Tag, Task
from trivium.text.markdown.reading import parse, prose
from trivium.text.markdown.sections import sections

__all__ = [
    "Block",
    "Heading",
    "Identifier",
    "Link",
    "Note",
    "Property",
    "Section",
    "Tag",
    "Task",
    "parse",
    "prose",
    "sections",
]
