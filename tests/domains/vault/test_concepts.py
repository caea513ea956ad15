"""The vocabulary: names stay apart or become one, and none is ever lost."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.domains.vault.contents import Folder, contents

from trivium.domains.vault import concepts
from trivium.domains.vault.sync import sync
from trivium.errors import ConflictError, NotFoundError, PayloadError, UsageError


def test_signs_keep_names_apart_blanks_and_hyphens_do_not(folder: Folder) -> None:
    vault = folder.open()
    given = [{"canonical": name} for name in ("C", "C++", "C#", "Style guide", "style-guide", "F*", "F")]
    assert concepts.import_concepts(vault, given).total == 6
    assert [concepts.resolve(vault, name)["canonical"] for name in ("c", "C++", "c#", "style-guide")] == [
        "C",
        "C++",
        "C#",
        "Style guide",
    ]


def test_merging_renaming_and_splitting_keep_every_name(folder: Folder) -> None:
    folder.write({"a.md": "[[LLM]] and [[big model]]\n"})
    vault = folder.open()
    concepts.import_concepts(vault, [{"canonical": "LLM"}, {"canonical": "Big Model", "type": "method", "mine": 1}])
    sync(vault)
    merged = concepts.merge(vault, "LLM", ["big model"])
    assert (merged["id"], merged["type"], merged["mine"]) == ("llm", "method", 1)
    assert sum("'concept://llm'" in edge for edge in contents(vault)["edges"]) == 1
    renamed = concepts.rename(vault, "big model", "Large Language Model")
    assert (renamed["id"], renamed["canonical"]) == ("llm", "Large Language Model")
    assert concepts.resolve(vault, "llm")["id"] == "llm"
    split = concepts.split(vault, "llm", ["Big Model"])
    assert (split["canonical"], concepts.resolve(vault, "big model")["id"]) == ("Big Model", split["id"])
    assert "Big Model" not in concepts.resolve(vault, "llm")["aliases"]


def test_what_cannot_be_is_refused_and_changes_nothing(folder: Folder) -> None:
    vault = folder.open()
    concepts.import_concepts(vault, [{"canonical": "A"}, {"canonical": "B"}])
    with pytest.raises(PayloadError) as caught:
        concepts.import_concepts(vault, [{"canonical": 1}, None, {"canonical": "x", "aliases": [2]}])
    assert [problem.partition(":")[0] for problem in caught.value.details] == ["/0/canonical", "/1", "/2/aliases/0"]
    with pytest.raises(ConflictError):
        concepts.rename(vault, "A", "b")
    with pytest.raises(UsageError):
        concepts.merge(vault, "A", ["a"])
    with pytest.raises(NotFoundError) as missing:
        concepts.resolve(vault, "AA")
    assert "A" in missing.value.details
    assert [one["canonical"] for one in concepts.listed(vault)] == ["A", "B"]


def test_twenty_four_writers_at_a_time_lose_nothing(folder: Folder) -> None:
    folder.write({"a.md": "# A\n\n[[Idea 3]]\n"})
    sync(folder.open())
    command = [sys.executable, "-m", "trivium", "vault", "concept", "import", str(folder.root)]
    running = []
    for number in range(24):
        file = folder.root.parent / f"{number}.json"
        file.write_text(f'{{"canonical": "Idea {number}"}}', encoding="utf-8")
        running.append(subprocess.Popen([*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    for child in running:
        with child:
            _, error = child.communicate(timeout=120)
            assert child.returncode == 0, error
    vault = folder.open()
    assert len(concepts.listed(vault)) == 24
    assert len(contents(vault)["concepts"]) == 24
    assert any("'mentions', 'concept://idea-3'" in edge for edge in contents(vault)["edges"])
