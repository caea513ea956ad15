"""The page at the root: what is served here."""

from __future__ import annotations

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>trivium</title>
<h1>trivium</h1>
<p>What is stored, as JSON, for reading:</p>
<ul>
<li><a href="/api/stats">/api/stats</a>: counts
<li><a href="/api/concepts">/api/concepts</a>: concepts, with <code>limit</code>, <code>offset</code>, <code>sort</code>
(last_seen, id, touch, shown) and <code>include_archived</code>
<li>/api/concepts/ID: one concept with its sources and relations
<li>/api/concepts/ID/neighbors: what surrounds it, with <code>depth</code> up to 4, <code>type</code> and
<code>include_archived</code>
<li>/api/search?q=WORDS: hits with reasons, with the options of <code>trivium ref search</code>
<li>/api/search/debug?q=WORDS: the same with every candidate and step
</ul>
</html>
"""
