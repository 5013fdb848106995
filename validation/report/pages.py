"""What each page shows, worked out of the claims: counts, links both ways, pictures, provenance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.judge.wording import headline
from validation.report import fields, readable
from validation.report.claims import Claim, Reading
from validation.report.graph import dependency_graph
from validation.report.highlight import python
from validation.report.tightness import growth_plot, growth_words, histogram_plot, ratio_domain
from validation.report.verdicts import VERDICTS, Verdict

__all__ = ["Calibration", "ClaimPage", "Paper", "claim_pages", "commands", "papers", "provenance"]


@dataclass(frozen=True)
class Paper:
    """A paper with its claims in ledger order and the (verdict, count) pairs that occur."""

    key: str
    title: str
    claims: tuple[Claim, ...]
    counts: tuple[tuple[Verdict, int], ...]
    headline: str
    graph: Markup | None

    @property
    def in_words(self) -> str:
        return ", ".join(f"{n} {v.word}" for v, n in self.counts)

    @property
    def fallen(self) -> tuple[Claim, ...]:
        """What does not stand as printed."""
        return tuple(
            c for c in self.claims if c.verdict.word in {"refuted", "misprint", "unstated-condition", "vacuous"}
        )


@dataclass(frozen=True)
class Picture:
    """Histogram and growth of one reading, either may be missing, and what the growth says in words."""

    reading: Reading
    histogram: Markup | None
    growth: Markup | None
    words: str


@dataclass(frozen=True)
class Link:
    """A dependency: its id, its claim where this report has it, and whether it stands."""

    id: str
    claim: Claim | None

    @property
    def falls(self) -> bool:
        return self.claim is not None and self.claim.verdict.word == "refuted"


@dataclass(frozen=True)
class Script:
    """A runnable counterexample: to which reading ('' for the claim as such), how to run it, its source."""

    reading: str
    command: str
    source: Markup | None


@dataclass(frozen=True)
class ClaimPage:
    """A claim with everything its page needs beyond the ledger entry."""

    claim: Claim
    paper_title: str
    pictures: tuple[Picture, ...]
    instances: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]
    depends_on: tuple[Link, ...]
    used_by: tuple[Link, ...]
    scripts: tuple[Script, ...]
    located: bool
    before: Claim | None
    after: Claim | None


def tally(claims: Sequence[Claim]) -> tuple[tuple[Verdict, int], ...]:
    """(verdict, number of claims) for the verdicts that occur, in the order of the vocabulary."""
    counts = ((v, sum(c.verdict == v for c in claims)) for v in VERDICTS)
    return tuple((v, n) for v, n in counts if n)


def papers(claims: Sequence[Claim], titles: Mapping[str, object]) -> tuple[Paper, ...]:
    """Claims grouped by paper, papers in order of first appearance."""
    keys = dict.fromkeys(c.paper for c in claims)
    groups = {key: tuple(c for c in claims if c.paper == key) for key in keys}
    named = {key: str(titles.get(key, key)) for key in keys}
    return tuple(
        Paper(key, named[key], group, tally(group), _headline(group), dependency_graph(group, named[key]))
        for key, group in groups.items()
    )


def _headline(claims: Sequence[Claim]) -> str:
    """The paper in one line; nothing for entries that do not say where a statement stands."""
    rows = [{"level": c.level, "verdict": c.verdict.word, "weight": c.weight or None} for c in claims]
    return headline(rows) if all(c.level for c in claims) else ""


def _histogram(r: Reading, domain: tuple[float, float]) -> Markup | None:
    if r.histogram is None:
        return None
    return histogram_plot(r.histogram, r.worst_ratio, domain, violated=r.violated, name=r.name)


def _pictures(claim: Claim) -> tuple[Picture, ...]:
    domain = ratio_domain(claim.readings)
    shown: list[Picture] = []
    for r in claim.readings:
        usable = (
            r.histogram is not None and any(0 < e < math.inf for e in r.histogram.edges) and any(r.histogram.counts)
        )
        histogram = _histogram(r, domain) if usable else None
        total = float(sum(n for _, n in r.stages)) or None
        growth = growth_plot(r.growth, total, violated=r.violated, name=r.name) if len(r.growth) > 1 else None
        if histogram or growth:
            shown.append(Picture(r, histogram, growth, growth_words(r.growth, total)))
    return tuple(shown)


def _instances(claim: Claim) -> tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]:
    """Per reading with a worst instance: (name, shape, value as lines) of each of its parts."""
    return tuple(
        (r.name, tuple((k, readable.shape(v), readable.value(v)) for k, v in r.worst_instance.items()))
        for r in claim.readings
        if r.worst_instance
    )


def _scripts(claim: Claim, folder: str) -> tuple[Script, ...]:
    """The claim's own counterexample first, then those of its readings that are other scripts."""
    found = [("", claim.counterexample, claim.counterexample_source)]
    found += [(r.name, r.counterexample, r.counterexample_source) for r in claim.readings]
    for r in claim.readings:
        mechanisms = r.mechanisms
        found += [(f"{r.name}, all but «{m.without}»", m.counterexample, m.counterexample_source) for m in mechanisms]
    shown: list[Script] = []
    seen: set[str] = set()
    for name, path, source in found:
        if not (path or source.strip()) or path in seen or source in seen:
            continue
        seen |= {text for text in (path, source) if text}
        full = f"{folder.rstrip('/')}/{path}" if folder else path
        body = python(source.rstrip() + "\n") if source.strip() else None
        shown.append(Script(name, f"python {full}" if path else "", body))
    return tuple(shown)


def claim_pages(groups: Sequence[Paper], folders: Mapping[str, object]) -> tuple[ClaimPage, ...]:
    """A page per claim; `folders[paper]` is where that paper's counterexamples lie, for the command that runs one."""
    claims = [c for paper in groups for c in paper.claims]
    by_id = {c.id: c for c in claims}
    title = {c.id: paper.title for paper in groups for c in paper.claims}
    used_by: dict[str, list[Link]] = {c.id: [] for c in claims}
    for c in claims:
        for dependency in dict.fromkeys(c.depends_on):
            used_by.setdefault(dependency, []).append(Link(c.id, c))
    pages = []
    for i, c in enumerate(claims):
        pages.append(
            ClaimPage(
                claim=c,
                paper_title=title[c.id],
                pictures=_pictures(c),
                instances=_instances(c),
                depends_on=tuple(Link(d, by_id.get(d)) for d in dict.fromkeys(c.depends_on)),
                used_by=tuple(used_by[c.id]),
                scripts=_scripts(c, str(folders.get(c.paper, ""))),
                located=bool(folders.get(c.paper)),
                before=claims[i - 1] if i else None,
                after=claims[i + 1] if i + 1 < len(claims) else None,
            )
        )
    return tuple(pages)


@dataclass(frozen=True)
class Calibration:
    """How strong the search is on statements known to be true: per claim, and over all their planted errors."""

    claims: tuple[Claim, ...]

    @property
    def score(self) -> tuple[int, int]:
        """(caught, planted) over the known truths."""
        return canary_score(self.claims)

    @property
    def strengths(self) -> tuple[float, ...]:
        """Worst ratio found over the known supremum, sorted."""
        return tuple(sorted(c.strength for c in self.claims if c.strength is not None))

    @property
    def median(self) -> float | None:
        """Middle of `strengths`."""
        known = self.strengths
        return None if not known else (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2


def canary_score(claims: Sequence[Claim]) -> tuple[int, int]:
    """(killed, planted) over all claims: the engine's own score."""
    judged = [canary.killed for c in claims for canary in c.canaries if canary.killed is not None]
    return sum(judged), len(judged)


def provenance(meta: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """(name, value) of what made the report: commit, date and seed first, versions next, any further text last."""
    place = "render(meta=…)"
    rows = [(key, str(meta[key])) for key in ("commit", "date", "seed") if meta.get(key) is not None]
    rows += [(name, str(v)) for name, v in fields.mapping(meta, "versions", place).items()]
    rows += [(name, str(v)) for name, v in fields.mapping(meta, "provenance", place).items() if v is not None]
    known = {
        "commit",
        "date",
        "seed",
        "smoke",
        "versions",
        "papers",
        "folders",
        "commands",
        "provenance",
        "calibration",
    }
    rows += [(k, str(v)) for k, v in meta.items() if k not in known and isinstance(v, str | int | float)]
    return tuple(dict.fromkeys(rows))


def commands(groups: Sequence[Paper], meta: Mapping[str, object], *, compared: bool) -> tuple[str, ...]:
    """What to type to get this report again: `meta['commands']`, or else one check per paper, compare and report."""
    given = fields.strings(meta, "commands", "render(meta=…)")
    seed = f" --seed {meta['seed']}" if meta.get("seed") is not None else ""
    checks = [f"fedverdict check {paper.key}{seed}" for paper in groups]
    return given or (*checks, *([f"fedverdict compare{seed}"] if compared else []), "fedverdict report")
