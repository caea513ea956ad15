"""The mistakes that models make: each is refused by name and place, or repaired without loss and told."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from trivium.errors import PayloadError
from trivium.sources.references import ConceptInput, Payload, ReferenceInput, RelationInput, parse_payloads

VALID: dict[str, Any] = {
    "reference": {"url": "https://example.com/guide", "title": "Guide"},
    "concepts": [
        {"id": "Trie", "description": "a tree of prefixes", "details": "one edge a letter"},
        {"id": "Index", "description": "finds rows"},
    ],
    "relationships": [{"source": "Trie", "type": "IS_A", "target": "Index", "reason": "the guide says so"}],
}
TEXT = json.dumps(VALID)
READ = Payload(
    ReferenceInput("https://example.com/guide", "Guide"),
    (
        ConceptInput("Trie", "a tree of prefixes", "one edge a letter"),
        ConceptInput("Index", "finds rows"),
    ),
    (RelationInput("Trie", "IS_A", "Index", "the guide says so"),),
)


def changed(*path: str | int, to: Any) -> str:
    """The valid payload with one value replaced, or added."""
    payload = copy.deepcopy(VALID)
    here: Any = payload
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = to
    return json.dumps(payload)


def without(*path: str | int) -> str:
    """The valid payload without one key."""
    payload = copy.deepcopy(VALID)
    here: Any = payload
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return json.dumps(payload)


RELATION = ("relationships", 0)

# What is wrong, the input, and the error that names it: as its message, or as one of its details.
REFUSED: list[tuple[str, str | bytes, str]] = [
    ("nothing", "", "Invalid JSON: line 1, column 1: the input is empty"),
    ("prose only", "I could not read it.", "Invalid JSON: line 1, column 1: this is no JSON"),
    ("prose before", f"Here it is: {TEXT}", "column 1: text stands before the JSON, which starts at line 1, column 13"),
    ("prose after", f"{TEXT}\nDone!", "line 2, column 1: this is no JSON"),
    ("prose before a fence", f"Sure:\n```json\n{TEXT}\n```", "text stands before the code fence at line 2, column 1"),
    ("prose after a fence", f"```\n{TEXT}\n```\nDone!", "line 3, column 1: text stands after the closing code fence"),
    ("cut off", TEXT[:60], "the text ends early"),
    ("cut off in a string", TEXT[:30], "the text ends early, inside the string that starts at line 1, column 23"),
    ("single quotes", str(VALID), "line 1, column 2: strings stand in double quotes, not in single quotes"),
    ("Python literal", TEXT.replace('"finds rows"', "None"), "Python's None is written null in JSON"),
    ("curly quotes", TEXT.replace('"Index"', "“Index”", 1), 'strings stand in straight double quotes (")'),
    ("bare key", TEXT.replace('"concepts"', "concepts"), 'keys stand in double quotes: write "concepts"'),
    ("bare word", TEXT.replace('"IS_A"', "IS_A"), "IS_A stands without quotes"),
    ("line break in a string", TEXT.replace("tree of", "tree\nof"), "a line break inside the string that starts at"),
    ("quote in a string", TEXT.replace("finds", 'the "finds"'), 'a double quote inside a string is written \\"'),
    ("bad escape", TEXT.replace("finds", "\\d+"), "\\d is no escape of JSON: a backslash itself is written \\\\"),
    ("missing comma", TEXT.replace("}, {", "} {"), "a comma is missing before this"),
    ("missing colon", TEXT.replace('"id":', '"id"', 1), 'a colon is missing after the key "id"'),
    ("missing value", TEXT.replace('"Guide"', ""), 'a value is missing after the key "title"'),
    ("double comma", TEXT.replace("}, {", "},, {"), "a comma without a value before it"),
    ("wrong bracket", TEXT.replace("}], ", "}}, ", 1), "'}' cannot close the '[' opened at line 1, column"),
    ("one bracket too many", TEXT + "}", "one '}' too many"),
    ("left out with dots", TEXT.replace("}, {", "}, ..., {"), "three dots stand for nothing in JSON"),
    ("full-width colon", TEXT.replace('"id":', '"id"：', 1), "the half-width ASCII ones"),
    ("two on one line", TEXT + TEXT, "a second value starts here: several payloads go into one array"),
    ("not UTF-8", TEXT.encode().replace(b"Guide", b"Gu\xefde"), "byte 0xef at offset 63 is not UTF-8"),
    ("nested without end", '{"reference":' + "[" * 100_000, "nested deeper than 64 levels"),
    ("NaN", changed(*RELATION, "confidence", to=float("nan")), "/relationships/0/confidence: must be a number"),
    (
        "key given twice",
        TEXT.replace('"id":', '"id": "X", "id":', 1),
        "/concepts/0/id: the key is given more than once",
    ),
    ("wrapped", json.dumps({"payload": VALID}), '(root): the payload is wrapped in "payload"; send only the value'),
    ("concepts alone", json.dumps(VALID["concepts"]), "/0: is a concept, not a payload"),
    ("a number", "42", "(root): must be an object, not a number"),
    ("no reference", without("reference"), '(root): the required key "reference" is missing'),
    (
        "no relationships",
        without("relationships"),
        '(root): the required key "relationships" or "relations" is missing',
    ),
    ("no concepts", changed("concepts", to=[]), "/concepts: must hold at least one concept"),
    ("concepts by name", changed("concepts", to={"Trie": "a tree"}), "/concepts: must be an array, not an object"),
    ("concept as a name", changed("concepts", 1, to="Index"), "/concepts/1: must be an object, not a string"),
    ("relation as a triple", changed(*RELATION, to=["Trie", "IS_A", "Index"]), "/relationships/0: must be an object"),
    (
        "key of another schema",
        changed("concepts", 0, "name", to="x"),
        '/concepts/0/name: unknown key; did you mean "id"?',
    ),
    (
        "misspelt key",
        changed("concepts", 0, "detials", to="x"),
        '/concepts/0/detials: unknown key; did you mean "details"?',
    ),
    ("extra key", changed("notes", to="x"), "/notes: unknown key; the keys are reference, concepts, relationships"),
    ("both spellings", changed("relations", to=[]), '/relations: "relationships" and "relations" are one key'),
    ("number as an id", changed("concepts", 0, "id", to=3), "/concepts/0/id: must be a string, not a number; write it"),
    (
        "list of details",
        changed("concepts", 0, "details", to=["a"]),
        "/concepts/0/details: must be a string, not an array",
    ),
    ("empty id", changed("concepts", 0, "id", to=""), "/concepts/0/id: must not be empty"),
    ("blank id", changed("concepts", 0, "id", to="  "), "/concepts/0/id: must not be blank"),
    ("id of two lines", changed("concepts", 0, "id", to="a\nb"), "/concepts/0/id: must be one line: a line break"),
    ("a text as id", changed("concepts", 0, "id", to="x" * 513), "/concepts/0/id: is longer than 512 characters"),
    ("a huge text", changed("concepts", 0, "details", to="é" * 524_289), "/concepts/0/details: is longer than 1 MiB"),
    (
        "lower-case type",
        changed(*RELATION, "type", to="part_of"),
        '/relationships/0/type: "part_of" is not a relation type; did you mean PART_OF?',
    ),
    ("hyphenated type", changed(*RELATION, "type", to="Part-Of"), "did you mean PART_OF?"),
    ("type in words", changed(*RELATION, "type", to="depends on"), "did you mean DEPENDS_ON?"),
    ("type of another schema", changed(*RELATION, "type", to="USES"), "did you mean DEPENDS_ON?"),
    (
        "passive type",
        changed(*RELATION, "type", to="REPLACED_BY"),
        "did you mean REPLACES, with the two ends exchanged?",
    ),
    (
        "the internal type",
        changed(*RELATION, "type", to="DESCRIBES"),
        "/relationships/0/type: DESCRIBES is written by the program itself",
    ),
    (
        "date without a time",
        changed("reference", "publishedAt", to="2026-01-01"),
        '/reference/publishedAt: "2026-01-01" is not an RFC 3339 date-time: it is a date',
    ),
    ("no offset", changed("reference", "fetched_at", to="2026-01-01T09:00:00"), "/reference/fetched_at: "),
    ("no scheme", changed("reference", "url", to="example.com/a"), 'did you mean "https://example.com/a"?'),
    (
        "running URL",
        changed("reference", "url", to="javascript:alert(1)"),
        "/reference/url: javascript: URLs are no source",
    ),
    ("no host", changed("reference", "url", to="http://"), '/reference/url: "http://" names no host'),
    ("per cent", changed(*RELATION, "confidence", to=90), "not 90; 90 per cent is 0.9"),
    ("half a character", TEXT.replace("finds", "\\ud83d"), "/concepts/1/description: holds half a surrogate pair"),
]

# What is odd, the input, and the notice that tells how it was read.
REPAIRED: list[tuple[str, str | bytes, str]] = [
    ("code fence", f"```json\n{TEXT}\n```", "the markdown code fence around the JSON was left out"),
    ("fence on one line", f"  ~~~{TEXT}~~~\n", "the markdown code fence around the JSON was left out"),
    ("fence never closed", f"```\n{TEXT}", "the markdown code fence around the JSON was left out"),
    ("byte order mark", b"\xef\xbb\xbf" + TEXT.encode(), "a byte order mark at the start was left out"),
    ("UTF-16", TEXT.encode("utf-16"), "the input was read as UTF-16, as its byte order mark says"),
    ("UTF-16 without a mark", TEXT.encode("utf-16-be"), "the input was read as UTF-16, as its zero bytes show"),
    ("UTF-32", b"\xff\xfe\0\0" + TEXT.encode("utf-32-le"), "the input was read as UTF-32"),
    ("trailing commas", TEXT.replace("}]", "},]"), "trailing comma left out: line 1, column 213 and 1 more"),
    ("comma at the end", TEXT + ",", "trailing comma left out"),
    ("comments", f"// by hand\n# really\n{TEXT}/* end */", "comment left out: line 1, column 1 and 2 more"),
    ("no-break spaces", TEXT.replace(": ", ":\u00a0"), "blank that JSON does not know left out"),
    ("JSON in a string", json.dumps(TEXT), "JSON inside a string read as JSON: (root)"),
    ("fenced JSON in a string", json.dumps(f"```json\n{TEXT}\n```"), "the markdown code fence around the JSON"),
    ("list in a string", changed("concepts", to=json.dumps(VALID["concepts"])), "string read as JSON: /concepts"),
    ("null for nothing", changed("concepts", 1, "details", to=None), "null read as not given: /concepts/1/details"),
    ("outer blanks", changed("concepts", 1, "id", to=" Index\n"), '/concepts/1/id: " Index\\u000a" is "Index"'),
    ("blanks around an end", changed(*RELATION, "target", to="Index "), "/relationships/0/target"),
    ("blanks around a URL", changed("reference", "url", to="https://example.com/guide "), "/reference/url"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "told"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_mistake_is_refused_by_name(data: str | bytes, told: str) -> None:
    with pytest.raises(PayloadError) as caught:
        parse_payloads(data)
    lines = [caught.value.message, *caught.value.details]
    assert any(told in line for line in lines), lines
    assert sum(len(line) for line in lines) < 1000
    assert "\n" not in "".join(lines)


@pytest.mark.parametrize(("data", "told"), [row[1:] for row in REPAIRED], ids=[row[0] for row in REPAIRED])
def test_a_repair_loses_nothing_and_is_told(data: str | bytes, told: str) -> None:
    batch = parse_payloads(data)
    assert batch.payloads == (READ,)
    assert (batch.problems, batch.skipped) == ((), 0)
    assert any(told in notice for notice in batch.notices), batch.notices
