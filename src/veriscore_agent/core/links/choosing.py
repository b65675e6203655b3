"""Which links to open next, and in which order.

The engine's rank says how likely a result is to help at all: in the VeriScore paper (section 3.3) the first result was
useful for 35.6% of the claims and the last for 13.3%, a slow fall. Title and snippet say how much a result bears on
*this* claim, and on the parts of it that are still open. Both are added as log-odds, so that a result far down goes
first where it shares much more of what is rare.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from veriscore_agent.core.links.addresses import host_of, page_key, path_of, site_of
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Snippet

RANK_STEP = 0.14
"""What one place in the engine's order costs: the log-odds of 35.6% less those of 13.3%, over nine steps."""
BEARING = 3.0
"""What sharing all of the claim's terms, against none, is worth. Chosen on labelled claims (benchmarks/links.py)."""
SETTLED = 0.5
"""Weight of a term of the claim that no open part has."""
SAME_SITE = 1.0
"""What each further link of one site costs within a batch: other sites are other witnesses."""
PDF_COST = 0.3
"""Two places: portable documents are read, but are larger, slower and oftener closed to programs."""

_UNREADABLE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|bmp|tiff?|mp[34]|m4[av]|avi|mov|webm|og[gv]|wav|flac|zip|gz|bz2|xz|7z|rar|tar"
    r"|exe|dmg|apk|iso|bin|docx?|xlsx?|pptx?|epub|mobi|css|js|woff2?|ttf)$",
    re.I,
)
_CLOSED = """youtube.com youtu.be vimeo.com dailymotion.com twitch.tv tiktok.com facebook.com fb.com instagram.com
    threads.net twitter.com x.com t.co pinterest.com linkedin.com snapchat.com play.google.com apps.apple.com
    itunes.apple.com podcasts.apple.com open.spotify.com"""
_CLOSED_SITES = frozenset(_CLOSED.split())
"""Sites that give a program no text: video, social networks, stores. Opened last, not never."""


@dataclass(slots=True)
class _Candidate:
    """One page that could be opened, with all that the results say of it."""

    link: str
    rank: int
    words: set[str]
    score: float = 0.0


def choose_links(
    snippets: Sequence[Snippet],
    opened: Collection[str],
    *,
    claim: str,
    open_parts: Sequence[str] = (),
    limit: int,
) -> tuple[str, ...]:
    """At most ``limit`` links to open next, best first, as the engine wrote them.

    ``snippets`` stand in the engine's order; ``open_parts`` are texts, and none means that the whole claim is open.
    Left out: what is open already (``opened``, links as written), the same page under another spelling, anything but
    http and https, media, archives and office files, and results whose title and snippet share no term with the claim
    while others do. Where none shares any (another language, say) the engine may know better, and all stay.
    Equal scores keep the engine's order.
    """
    weights = _weights(claim, open_parts)
    candidates = _candidates(snippets)
    if any(each.words & weights.keys() for each in candidates):
        candidates = [each for each in candidates if each.words & weights.keys()]
    _score(candidates, weights)
    known = {page_key(link) for link in opened}
    return _spread([each for each in candidates if page_key(each.link) not in known], limit)


def openable_links(snippets: Sequence[Snippet]) -> tuple[str, ...]:
    """Every link that ``choose_links`` could ever choose among these results, in the engine's order."""
    return tuple(each.link for each in _candidates(snippets))


def _candidates(snippets: Iterable[Snippet]) -> list[_Candidate]:
    """One a page, in the order of its first result."""
    found: dict[str, _Candidate] = {}
    for snippet in snippets:
        key = page_key(snippet.link)
        if key and not _UNREADABLE.search(path_of(snippet.link)):
            candidate = found.setdefault(key, _Candidate(snippet.link, len(found), set()))
            candidate.words.update(terms(f"{snippet.title} {snippet.text}"))
    return list(found.values())


def _weights(claim: str, open_parts: Sequence[str]) -> dict[str, float]:
    """Every term of the claim, those of the open parts in full."""
    settled = dict.fromkeys(terms(claim), SETTLED if open_parts else 1.0)
    return settled | dict.fromkeys((term for part in open_parts for term in terms(part)), 1.0)


def _score(candidates: Sequence[_Candidate], weights: Mapping[str, float]) -> None:
    """Log-odds, but for a constant. A term counts the more, the fewer of the results have it."""
    having = Counter(term for each in candidates for term in each.words if term in weights)
    rarity = {
        term: weights[term] * math.log(1 + (len(candidates) - count + 0.5) / (count + 0.5))
        for term, count in having.items()
    }
    whole = math.fsum(rarity.values()) or 1.0
    for each in candidates:
        shared = math.fsum(rarity[term] for term in each.words if term in rarity) / whole
        is_pdf = path_of(each.link).lower().endswith(".pdf")
        each.score = BEARING * shared - RANK_STEP * each.rank - PDF_COST * is_pdf


def _spread(candidates: Iterable[_Candidate], limit: int) -> tuple[str, ...]:
    """The best, one after the other, each lowered by those of its site that were taken before it."""
    left = list(candidates)
    taken: list[str] = []
    sites: Counter[str] = Counter()
    while left and len(taken) < limit:
        best = min(left, key=lambda each: _place(each, sites))
        left.remove(best)
        taken.append(best.link)
        sites[site_of(best.link)] += 1
    return tuple(taken)


def _place(candidate: _Candidate, sites: Mapping[str, int]) -> tuple[bool, float, int]:
    score = candidate.score - SAME_SITE * sites[site_of(candidate.link)]
    return is_closed_site(candidate.link), -score, candidate.rank


def is_closed_site(link: str) -> bool:
    """Whether the link leads to a site that gives programs no text."""
    labels = host_of(link).split(".")
    return any(".".join(labels[start:]) in _CLOSED_SITES for start in range(len(labels)))
