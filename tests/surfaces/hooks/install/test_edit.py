"""Our entries come and go; those of others stay where they are, in their order and form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import ConflictError
from trivium.surfaces.hooks.install.command import argv, handler
from trivium.surfaces.hooks.install.edit import entries, is_bare, skeleton, with_entries, without_entries
from trivium.surfaces.hooks.install.places import FILES, all_events


def wanted(host: str) -> dict[str, dict[str, Any]]:
    return {
        event: handler(host, event, argv(host, event, flags=["-I"]), 10, is_shell=False) for event in all_events(host)
    }


def foreign(host: str) -> st.SearchStrategy[dict[str, Any]]:
    """Settings as others write them, with hooks of their own or none."""
    entry = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["echo a", "./b.sh"])})
    if host == "cursor":
        group: st.SearchStrategy[Any] = entry
    else:
        group = st.fixed_dictionaries(
            {"hooks": st.lists(entry, min_size=1, max_size=2)}, optional={"matcher": st.just("Bash")}
        )
    events = st.sampled_from([*all_events(host), "Other"])
    hooks = st.dictionaries(events, st.lists(group, max_size=2), max_size=3)
    return st.fixed_dictionaries(
        {}, optional={"hooks": hooks, "model": st.just("x"), "permissions": st.just({"allow": ["Bash(ls)"]})}
    )


@pytest.mark.parametrize("host", sorted(FILES))
@given(data=st.data(), indent=st.sampled_from([None, 2, 4, "\t"]), newline=st.sampled_from(["\n", "\r\n"]))
def test_installing_and_uninstalling_leaves_nothing(
    host: str, data: st.DataObject, indent: int | str | None, newline: str
) -> None:
    document = data.draw(foreign(host))
    text = json.dumps(document, indent=indent).replace("\n", newline) + newline
    grown, made = with_entries(text, host, "f", wanted(host))
    assert set(entries(grown, host, "f")) == set(wanted(host))
    assert with_entries(grown, host, "f", wanted(host))[0] == grown
    assert without_entries(grown, host, "f", made=made) == text


@pytest.mark.parametrize("host", sorted(FILES))
@given(data=st.data())
def test_what_others_add_in_between_stays(host: str, data: st.DataObject) -> None:
    text = json.dumps(data.draw(foreign(host)), indent=2)
    grown, made = with_entries(text, host, "f", wanted(host))
    theirs = json.loads(grown)
    event = all_events(host)[0]
    theirs["hooks"][event].append({"command": "echo late"} if host == "cursor" else {"hooks": [{"command": "late"}]})
    theirs["added"] = [1]
    left = json.loads(without_entries(json.dumps(theirs, indent=2), host, "f", made=made))
    expected = json.loads(text)
    expected.setdefault("hooks", {}).setdefault(event, []).append(theirs["hooks"][event][-1])
    assert left == {**expected, "added": [1]}


def test_an_entry_of_another_python_is_replaced_in_its_place() -> None:
    old = handler("claude", "Stop", ["/old/python", "-m", "trivium", "hook", "claude", "Stop"], 10, is_shell=False)
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, old]}]}}, indent=2)
    new = wanted("claude")["Stop"]
    grown, _ = with_entries(text, "claude", "f", {"Stop": new})
    assert json.loads(grown)["hooks"]["Stop"] == [{"hooks": [{"type": "command", "command": "a"}, new]}]
    left = json.loads(without_entries(grown, "claude", "f"))
    assert left["hooks"]["Stop"] == [{"hooks": [{"type": "command", "command": "a"}]}]


def test_events_that_are_kept_stay_and_others_go() -> None:
    grown, _ = with_entries("{}", "claude", "f", wanted("claude"))
    left = without_entries(grown, "claude", "f", keep=("Stop",))
    assert list(entries(left, "claude", "f")) == ["Stop"]


def test_an_empty_file_becomes_a_skeleton() -> None:
    for host in FILES:
        grown, made = with_entries("", host, "f", wanted(host))
        assert "\n" in grown.strip()
        assert is_bare(without_entries(grown, host, "f", made=made), host, "f")
        assert is_bare(skeleton(host), host, "f")
    assert json.loads(with_entries("", "cursor", "f", {})[0]) == {"version": 1}


def test_containers_of_others_stay_empty() -> None:
    text = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
    grown, made = with_entries(text, "claude", "f", wanted("claude"))
    assert json.loads(without_entries(grown, "claude", "f", made=made)) == {"hooks": {"Stop": []}}


@pytest.mark.parametrize(
    "text", ["[]", '"a"', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": "echo"}}']
)
def test_settings_of_another_form_are_left_alone(text: str) -> None:
    with pytest.raises(ConflictError, match="left as it"):
        with_entries(text, "claude", "settings.json", wanted("claude"))


def test_settings_of_gemini_hold_switches_beside_events() -> None:
    text = '{"hooks": {"enabled": true, "disabled": ["x"]}}'
    grown, made = with_entries(text, "gemini", "f", wanted("gemini"))
    assert without_entries(grown, "gemini", "f", made=made) == text
