"""What we told comes back as nothing new, also quoted, reordered, cut short or with other words around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domains.routing.compile import CLOSING, OPENING
from trivium.domains.routing.ledger.echoes import Echoes, without_blocks
from trivium.domains.routing.ledger.records import Ledger

TOLD = [
    "Always use pnpm in this project; the lock file is pnpm-lock.yaml. Never commit package-lock.json to it.",
    "Run `make stage`, look at the smoke tests, then run `make release`.\n\n* Only on Tuesdays, between 9 and 11.",
    "デプロイは火曜日の午前中にだけ行うこと。金曜日には行わない。",
]


@pytest.fixture
def echoes(home: Path) -> Echoes:
    ledger = Ledger(str(home))
    ledger.keep(TOLD)
    return Echoes(ledger)


@pytest.mark.parametrize(
    "text",
    [
        *TOLD,
        "> Always use pnpm in this project; the lock file is pnpm-lock.yaml.",
        "ALWAYS USE PNPM in this project;  the lock file is pnpm-lock.yaml",
        "- **Only on Tuesdays, between 9 and 11.**",
        "金曜日には行わない。",
        f"{OPENING}\nwhatever stands in here, also what was never kept\n{CLOSING}",
        f"{OPENING}\ncut off before its en",
        "## Rule: pnpm (relevance: 77%)\n\nNever commit package-lock.json to it.",
    ],
)
def test_echoes_are_known(text: str, echoes: Echoes) -> None:
    assert echoes.is_echo(text)
    assert echoes.without(text) == ""
    assert echoes.share(text) > 0.9


@pytest.mark.parametrize(
    "text",
    [
        "The database lives on the other machine.",
        "Use pnpm.",
        "金曜日は休み",
        "Always use npm in this project, not pnpm.",
    ],
)
def test_what_is_new_is_kept(text: str, echoes: Echoes) -> None:
    assert not echoes.is_echo(text)
    assert echoes.without(text) == text
    assert echoes.share(text) == 0


def test_what_is_new_remains_of_a_mixture(echoes: Echoes) -> None:
    text = f"I learned this. {TOLD[0]} The staging server is called heron."
    assert echoes.without(text) == "I learned this.\nThe staging server is called heron."
    assert 0.4 < echoes.share(text) < 0.9


def test_a_hundred_turns_of_our_own_text_hold_nothing_new(echoes: Echoes) -> None:
    for number in range(100):
        told = TOLD[number % len(TOLD)]
        assert echoes.without(f"{OPENING}\n{told}\n{CLOSING}\n> {told}") == ""


def test_nothing_was_told(home: Path) -> None:
    echoes = Echoes(Ledger(str(home)))
    assert len(echoes) == 0
    assert echoes.without(TOLD[0]) == TOLD[0].replace(". ", ".\n")
    assert echoes.share("") == 0
    assert not echoes.is_echo("")


@given(st.text(max_size=200))
def test_blocks_leave_nothing_behind(inner: str) -> None:
    assert without_blocks(f"before {OPENING}{inner.replace('<', '')}{CLOSING} after") == "before  after"
