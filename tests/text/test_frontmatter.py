"""Frontmatter: where it ends, what it says, what could not be read, for any input."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.text import frontmatter
from trivium.text.frontmatter import MAX_CHARS, MAX_NODES, names, split


@pytest.mark.parametrize(
    ("text", "data", "body"),
    [
        ("---\ntitle: a\n---\nB", {"title": "a"}, "B"),
        ("\ufeff---\r\ntitle: a\r\n---\r\nB", {"title": "a"}, "B"),
        ("--- \t\na: 1\n---  \nB", {"a": 1}, "B"),
        ("---\na: 1\n...\nB", {"a": 1}, "B"),
        ("---\na: 1\n---", {"a": 1}, ""),
        ("---\n---\nB", {}, "B"),
        ("---\n\n---\nB", {}, "B"),
        ("---\n# only a comment\n---\nB", {}, "B"),
        ("+++\na = 1\nd = 2020-01-02\n+++\nB", {"a": 1, "d": "2020-01-02"}, "B"),
    ],
)
def test_frontmatter_ends_at_its_fence(text: str, data: dict[str, object], body: str) -> None:
    head = split(text)
    assert head.data == data
    assert text[head.body :] == body
    assert head.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\na: 1\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "text\n---\na: 1\n---\n",
        "---\n\nJust a rule above, [[t]].\n\n---\n\nmore",
        "---\n\nA rule. Careful:\n\nWarning: {x\n\n---\n",
        "---\n- a list\n- of things\n---\n",
    ],
)
def test_a_rule_is_no_frontmatter(text: str) -> None:
    head = split(text)
    assert (head.syntax, head.body, head.data) == ("", 0, {})


def test_what_the_span_holds() -> None:
    text = "\ufeff---\na: 1\nb: [x]\n---\nB"
    head = split(text)
    assert text[head.start : head.end] == "a: 1\nb: [x]\n"
    assert head.lines == {"a": 2, "b": 3}


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("true", True),
        ("1e3", 1000.0),
        ("12:30", "12:30"),
        ("2026-05-26", "2026-05-26"),
        ("2026-05-26T10:00:00Z", "2026-05-26T10:00:00Z"),
        ("007", "007"),
        ("12", 12),
        ("-1.5", -1.5),
        ("'12'", "12"),
        ("~", None),
        ("", None),
        ("9" * 40, "9" * 40),
        ("!!python/object/apply:os.system [ls]", ["ls"]),
        ("[[b]]", [["b"]]),
        (".", "."),
    ],
)
def test_scalars_follow_yaml_1_2_and_dates_stay_text(yaml: str, value: object) -> None:
    assert split(f"---\nk: {yaml}\n---\n").data == {"k": value}


def test_names_are_never_numbers() -> None:
    head = split("---\ntitle: 1.10\naliases: [1.0, true, null]\ntags: 2024\nversion: 1.10\n---\n")
    assert head.data == {"title": "1.10", "aliases": ["1.0", "true", None], "tags": "2024", "version": 1.1}


def test_a_doubled_key_is_reported_with_its_line() -> None:
    head = split("---\na: 1\nb: 2\na: 3\n---\n")
    assert head.data["a"] == 3
    assert [(problem.line, "'a'" in problem.message) for problem in head.problems] == [(4, True)]


def test_an_unquoted_colon_is_reported_and_the_rest_kept() -> None:
    head = split("---\ntitle: Governance: the second draft\ntags: [x]\n---\nB")
    assert head.data == {"title": "Governance: the second draft", "tags": ["x"]}
    assert head.problems[0].line == 2
    assert "YAML" in head.problems[0].message


def test_a_template_is_usable() -> None:
    head = split('---\ncategories:\n  - "[[Books]]"\ncreated: {{date}}\nname: {{title}} x\n---\nB')
    assert head.data == {"categories": ["[[Books]]"], "created": "{{date}}", "name": "{{title}} x"}
    assert {problem.line for problem in head.problems} == {4, 5}


def test_tabs_are_reported() -> None:
    head = split("---\na:\n\t- b\nc: d\n---\nB")
    assert head.data["c"] == "d"
    assert head.problems


def test_control_characters_are_reported() -> None:
    head = split('---\nx: "\x07"\ntitle: ok\n---\n')
    assert head.data["title"] == "ok"
    assert head.problems


def test_broken_toml_is_reported_with_its_line() -> None:
    head = split("+++\na = 1\nb = \n+++\nB")
    assert head.data == {}
    assert head.problems[0].line == 3


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &a [*a]",
        "a: " + "[" * 5_000 + "]" * 5_000,
        "a:\n  " + "- " * 100_000 + "x",
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)),
        "? [a, b]\n: c\nd: e",
        "a: *nowhere",
    ],
)
def test_hostile_yaml_stays_small(yaml: str) -> None:
    head = split(f"---\n{yaml}\n---\nB")
    assert len(json.dumps(head.data)) < 10 * MAX_NODES + 2 * len(yaml)
    assert head.problems


def test_a_huge_frontmatter_is_reported_and_not_read() -> None:
    text = "---\na: " + "x" * MAX_CHARS + "\n---\nB"
    head = split(text)
    assert (head.data, text[head.body :]) == ({}, "B")
    assert str(MAX_CHARS) in head.problems[0].message


def test_names_of_a_value() -> None:
    assert names("a, b ,a") == ("a", "b")
    assert names(["a, b", None, 3, ""]) == ("a, b", "3")
    assert names(None) == names({"a": 1}) == ()
    assert names(5) == ("5",)


@given(st.text(alphabet=st.sampled_from("-+.\n\r \t:#[]{}'\"&*!|>%@`ab1\ufeff漢"), max_size=200))
def test_any_text_splits_without_loss(text: str) -> None:
    head = split("---\n" + text)
    assert 0 <= head.start <= head.end <= head.body <= len(text) + 4
    json.dumps(head.data)
    assert all(problem.line >= 1 for problem in head.problems)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=5), st.text("xyz 漢é", max_size=8), max_size=5))
def test_quoted_values_come_back(data: dict[str, str]) -> None:
    lines = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items())
    assert split(f"---\n{lines}---\n").data == data


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: 1.10\nn: [1, 'a', {b: ~}]\nc: &x d\ne: *x\n---\nB",
        "---\ncreated: {{date}}\nname: {{title}} x\n---\n",
        "---\na: 1\na: [\n---\n",
        "---\na: " + "[" * 2_000 + "\n---\n",
        "---\n\nJust a rule.\n\n---\n",
    ],
)
def test_the_same_without_the_c_library(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = split(text)
    monkeypatch.setitem(sys.modules, "yaml.cyaml", None)
    monkeypatch.setattr(frontmatter, "_PARSER", None)
    found = split(text)
    assert found[:6] == expected[:6]
    assert [problem.line for problem in found.problems[1:]] == [problem.line for problem in expected.problems[1:]]


def test_the_library_is_loaded_only_for_frontmatter() -> None:
    code = "import sys; from trivium.text.frontmatter import split; split('# a'); sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
