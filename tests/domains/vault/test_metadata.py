"""Records: checked against the text, merged, carried over edits."""

from __future__ import annotations

from typing import Any

from tests.domains.vault.contents import Folder, contents

from trivium.domains.vault.check import check, drop
from trivium.domains.vault.concepts import import_concepts
from trivium.domains.vault.metadata import import_records, validate
from trivium.domains.vault.notes import gc, info, locate, pending
from trivium.domains.vault.scanning import register
from trivium.domains.vault.sync import sync
from trivium.domains.vault.vault import Vault

TEXT = "# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n\nA second line about foxes.\n"


def prepared(folder: Folder, text: str = TEXT) -> tuple[Vault, str]:
    folder.write({"a.md": text, "b.md": "# Other\n\nThe fox again.\n"})
    vault = folder.open()
    sync(vault)
    import_concepts(vault, [{"canonical": "Fox"}, {"canonical": "Dog"}])
    return vault, str(info(vault, "a.md")["hash"])


def mention(quote: str, concept: str = "Fox", **more: Any) -> dict[str, Any]:
    return {"concept": concept, "anchor": {"quote": quote}, **more}


def test_every_problem_of_a_record_is_told_with_what_stands_there(folder: Folder) -> None:
    vault, hash_ = prepared(folder)
    record = {
        "hash": hash_,
        "mentions": [mention("quick brown foxes jump over"), mention("fox", "Focks"), {"concept": "Fox"}, "x"],
        "relations": [{"from": "Fox", "to": "Wolf", "anchor": {"quote": "the lazy\ndog"}, "confidence": 3}],
        "doc_links": [{}],
    }
    done = import_records(vault, record)
    assert not done.imported
    problems = {problem.place: problem for problem in done.rejected[0].problems}
    assert list(problems) == [
        "mentions[3]", "mentions[0]", "mentions[1]", "mentions[2]", "relations[0].to", "relations[0]",
        "relations[0].confidence", "doc_links[0]",
    ]  # fmt: skip
    near = problems["mentions[0]"].nearest
    assert near is not None
    assert (near["line"], near["text"]) == (3, "quick brown fox jumps over")
    assert problems["relations[0]"].nearest == {"text": "the lazy dog", "line": 3, "similarity": 1.0}


def test_refused_records_leave_no_concepts(folder: Folder) -> None:
    vault, hash_ = prepared(folder)
    bad = {"hash": hash_, "mentions": [mention("not there at all", "New One")]}
    good = {"hash": hash_, "mentions": [mention("lazy dog", "Newer One")]}
    done = import_records(vault, [bad, good], is_creating=True)
    assert (len(done.imported), len(done.rejected)) == (1, 1)
    assert [edge for edge in contents(vault)["concepts"] if "new" in edge] == [
        "('concept://newer-one', 'Newer One', 'concept', None)"
    ]


def test_an_edit_keeps_what_still_stands(folder: Folder) -> None:
    vault, hash_ = prepared(folder)
    relation = {"from": "Fox", "relation": "jumps", "to": "Dog", "anchor": {"quote": "fox jumps over the lazy dog"}}
    record = {
        "hash": hash_,
        "summary": "s",
        "mentions": [mention("quick brown fox"), mention("A second line about foxes."), mention("Foxes", "Dog")],
        "relations": [relation],
    }
    assert not import_records(vault, record).rejected
    other = {"hash": info(vault, "b.md")["hash"], "relations": [{**relation, "relation": "sees",
             "anchor": {"quote": "The fox again."}}]}  # fmt: skip
    assert not import_records(vault, other).rejected
    edited = "# Foxes\n\nNew start.\n\nThe quick brown\nfox leaps over the lazy dog.\n\nA third sentence.\n"
    folder.write({"a.md": edited})
    done = sync(vault)
    assert done.carried == {"intact": 1, "moved": 0, "reflowed": 1, "changed": 1, "gone": 1}
    (waiting,) = [one for one in pending(vault) if one.path == "a.md"]
    assert len(waiting.broken) == 2
    kept = info(vault, "a.md")["metadata"]
    assert kept["summary"] == "s"
    assert [one["anchor"]["quote"] for one in kept["mentions"]] == ["quick brown\nfox", "Foxes"]
    assert locate(vault, "a.md", "quick brown\nfox").line == 5
    suspects = {one.claim: one for one in check(vault)}
    diff = suspects["Fox -[jumps]-> Dog"].diff
    assert diff == ("  fox", "- jumps", "+ leaps", "  over the lazy dog")
    assert suspects["Fox -[jumps]-> Dog"].dependents == ("b.md: Fox -[sees]-> Dog",)
    assert validate(vault).suspects == 2
    # Made again, it is no longer waited for.
    again = {**relation, "anchor": {"quote": "leaps over the lazy dog"}}
    import_records(vault, {"hash": info(vault, "a.md")["hash"], "relations": [again]})
    assert [one.claim for one in check(vault)] == ["mentions Fox"]
    assert drop(vault) == 1
    assert [one.path for one in pending(vault)] == []
    assert gc(vault) == [hash_]


def test_a_text_that_comes_back_brings_its_claims_back(folder: Folder) -> None:
    vault, hash_ = prepared(folder)
    import_records(vault, {"hash": hash_, "mentions": [mention("quick brown fox")]})
    folder.write({"a.md": "# Nothing of it\n"})
    register(vault)
    assert check(vault)[0].state == "gone"
    folder.write({"a.md": TEXT + "and more\n"})
    sync(vault)
    assert check(vault) == []
    assert [one.path for one in pending(vault)] == ["b.md"]


def test_records_of_duplicates_and_strangers(folder: Folder) -> None:
    vault, hash_ = prepared(folder)
    folder.write({"copy.md": TEXT})
    sync(vault)
    assert not import_records(vault, {"hash": hash_, "mentions": [mention("lazy dog", "Dog")]}).rejected
    assert sum("'mentions', 'concept://dog'" in edge for edge in contents(vault)["edges"]) == 2
    (folder.root / "meta/kg/metadata/feed.json").write_text("{", encoding="utf-8")
    (folder.root / f"meta/kg/metadata/{info(vault, 'b.md')['hash']}.json").write_text("[1", encoding="utf-8")
    found = validate(vault)
    assert (found.checked, found.ok, found.orphans, len(found.failed)) == (3, 1, ("feed",), 1)
