"""arXiv ids and DOIs in running text, told from prices, figures and version numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NEW = re.compile(r"\.([0-9]{4,5})(?:(v[1-9][0-9]?)(?!\w|\.[0-9]))?")
_OLD = re.compile(r"/([0-9]{2})(0[1-9]|1[0-2])([0-9]{3})(v[1-9][0-9]?)?(?![\w/]|\.[0-9])")
_ARCHIVE = re.compile(
    r"(?:^|[^\w./-]|arxiv\.org/(?:abs|pdf)/)"
    r"((?:astro-ph|cond-mat|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|nucl-ex|nucl-th|quant-ph|math|nlin|cs|physics|"
    r"q-bio|chao-dyn|alg-geom|q-alg|dg-ga|funct-an|cmp-lg|adap-org|comp-gas|patt-sol|solv-int|chem-ph|acc-phys|"
    r"ao-sci|atom-ph|bayes-an|mtrl-th|plasm-ph|supr-con)(?:\.[A-Z]{2})?)$",
    re.I,
)
_NAMED = re.compile(r"(?:arxiv(?:\.org/(?:abs|pdf|html)/|:\s?|\s)|/abs/|/pdf/|/papers/)$", re.I)
_UNIT = re.compile(r"\s?(?:[%$€£¥°]|(?:EUR|USD|GBP|CNY|JPY|RMB|CHF|kg|km|cm|mm|ms|MB|GB|Hz|m|s|g)\b)")
_SUM_SIGNS = "$€£¥=<>+-*/.,_"
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\"<>{}|\\^`\[\]\0]{1,512}")
_TAIL = ".,;:!?'*_~\u3002\uff0c\uff1b\uff1a\u3001\uff09\u300d\u201d\u2019"


def arxiv(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Id without version, version and span.

    New style is `YYMM.NNNN` from 0704 to 1412 and `YYMM.NNNNN` from 1501, with a month of 01-12. Without `arXiv:` or
    an arxiv.org address before it, the four-digit form counts only with a version (prices look the same), and neither
    form counts beside a currency, a unit or an arithmetic sign. Old style is `archive/YYMMNNN` of a known archive.
    """
    for match in _NEW.finditer(text):
        start = match.start() - 4
        number = text[max(start, 0) : match.start()]
        if len(number) != 4 or not (number.isascii() and number.isdigit()) or not 1 <= int(number[2:]) <= 12:
            continue
        if text[match.end() : match.end() + 1].isalnum() or _continues(text, match.end()):
            continue
        if len(match[1]) != (4 if number < "1501" else 5) or number < "0704":
            continue
        is_named = _NAMED.search(text, max(0, start - 20), start) is not None
        if is_named or _is_bare_id(text, start, match.end(), len(match[1]) == 5 or match[2] is not None):
            yield f"{number}.{match[1]}", match[2] or "", start, match.end()
    for match in _OLD.finditer(text):
        archive = _ARCHIVE.search(text, max(0, match.start() - 40), match.start())
        year = int(match[1])
        if archive is not None and (year >= 91 or year <= 7):
            start = archive.start(1)
            yield f"{archive[1]}/{match[1]}{match[2]}{match[3]}", match[4] or "", start, match.end()


def dois(text: str) -> Iterator[tuple[str, int, int]]:
    """DOI (lower case, as they compare) and span, without the punctuation after it."""
    for match in _DOI.finditer(text):
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        if before.isalnum() or before in (".", "-", "_"):
            continue
        found = match[0].rstrip(_TAIL)
        while found.endswith(")") and found.count("(") < found.count(")"):
            found = found[:-1].rstrip(_TAIL)
        if found.count("/") and not found.endswith("/"):
            yield found.lower(), match.start(), match.start() + len(found)


def _continues(text: str, end: int) -> bool:
    return text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()


def _is_bare_id(text: str, start: int, end: int, is_certain: bool) -> bool:
    before = text[start - 1 : start] if start else ""
    if not is_certain or before.isalnum() or (before and before in _SUM_SIGNS):
        return False
    if before.isspace() and start > 1 and text[start - 2] in "$€£¥=":
        return False
    return _UNIT.match(text, end) is None and text[start : start + 2] < "40"
