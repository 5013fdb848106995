"""What each page shows, worked out of the claims: counts, links both ways, pictures, provenance."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from types import MappingProxyType

from markupsafe import Markup

from validation.judge.entry import Entry
from validation.judge.words.entry import headline
from validation.papers.repaired import OfShown
from validation.report import fields
from validation.report.claims.answer import FALLEN, answer, heading_of, holds_instead
from validation.report.claims.apart import apart
from validation.report.claims.claims import Claim, Reading
from validation.report.claims.graph import dependency_graph
from validation.report.claims.latex import referee
from validation.report.claims.matter import WEIGHTS, Resting, matter, rest_on_it, uncovered
from validation.report.claims.order import Group, groups_of, rests_on
from validation.report.claims.printed_letters import Legend, legend, printed_letters
from validation.report.claims.referred import Referred, referred
from validation.report.claims.shown import AtInstance, at_instance, shown_in_words, shown_reading
from validation.report.claims.tightness import growth_plot, growth_words, histogram_plot, ratio_domain
from validation.report.counterexample.instance import Instance, run_script
from validation.report.counterexample.picture import Bar, Drawing, bars_of, course_of, drawings_of
from validation.report.glosses import Glosses
from validation.report.own_method import OwnMethod
from validation.report.text import readable
from validation.report.text.highlight import python
from validation.report.text.letters import Letters
from validation.report.verdicts import VERDICTS, Verdict
from validation.script.script import file_name
from validation.statement.verdict import Verdict as Word
from validation.study.courses import Course

__all__ = ["ClaimPage", "Link", "Paper", "Script", "claim_pages", "commands", "papers", "provenance", "tally"]

_LEAD = 320  # characters of an explanation that are shown at once
_NAME = 18  # characters of a name
_MOST_PRINTED, _KEPT_PRINTED = 60, 20  # lines of what another script prints, and those kept at both ends
Rows = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Paper:
    """A paper with its claims in ledger order and the (verdict, count) pairs of those that it prints."""

    key: str
    title: str
    claims: tuple[Claim, ...]
    counts: tuple[tuple[Verdict, int], ...]
    headline: str
    name: str = ""

    @property
    def short(self) -> str:
        """A name for the header: the given one, else the title up to its colon where that is a name, else the key."""
        name = self.name or self.title.partition(":")[0]
        return name if len(name) <= _NAME else self.key.replace("_", " ")

    @property
    def printed(self) -> tuple[Claim, ...]:
        """Its statements that are the paper's, not asked by us."""
        return tuple(_printed(self.claims))

    @property
    def apart(self) -> tuple[tuple[Verdict, int], ...]:
        """(verdict, number) of what is asked by us and counted apart."""
        return tally([c for c in self.claims if c.ours])

    @property
    def in_words(self) -> str:
        """«12 holds, 3 refuted», in the order of `counts`."""
        return ", ".join(f"{n} {v.word}" for v, n in self.counts)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Its results in the order of print."""
        return groups_of(self.claims)

    @cached_property
    def results(self) -> tuple[Claim, ...]:
        """Theorems, corollaries and lemmas in the order of print."""
        return tuple(r.claim for g in self.groups if g.key == "results" for r in g.results)

    @property
    def standing(self) -> int:
        """How many of its results hold as printed."""
        return sum(c.stands for c in self.results)

    @property
    def broken(self) -> int:
        """How many more of them are not refuted, with a proof that uses a step that fails."""
        return sum(c.verdict.word in {"proved", "holds"} and not c.stands for c in self.results)

    @property
    def standing_words(self) -> str:
        """What stands behind «3 of 8»."""
        more = f"; {self.broken} more {'was' if self.broken == 1 else 'were'} not refuted, but the printed proof fails"
        return "theorems and lemmas hold as printed" + (more if self.broken else "")

    @property
    def weights(self) -> tuple[tuple[str, int], ...]:
        """(weight, number of claims), the heaviest first."""
        said = self.headline.split("; ") if self.headline else []
        return tuple((name, int(n)) for n, name in (part.split(" × ", 1) for part in said if " × " in part))

    @property
    def foremost(self) -> Claim | None:
        """The one result to look at first: the first theorem that falls, or proposition, corollary, lemma, or any."""
        fallen = [c for c in self.results if c.verdict.word not in {"proved", "holds"}]
        order = [[c for c in fallen if c.level == level] for level in ("theorem", "proposition", "corollary", "lemma")]
        return next((c for group in (*order, self.results, self.printed) for c in group), None)

    @property
    def finding(self) -> str:
        """What was found of that result, in a sentence or two."""
        claim = self.foremost
        if claim is None:
            return ""
        if claim.verdict.word != "refuted" or claim.mended:
            return answer(claim, None)
        sentences = re.split(r"(?<=[.;]) ", claim.words or claim.why)[:2]
        return f"No. {' '.join(sentences).rstrip(';')}"

    def graph(self, claim: Claim, hrefs: Mapping[str, str]) -> Markup | None:
        """What this result rests on, as a picture."""
        return dependency_graph(rests_on(claim, self.claims), f"What {claim.id} depends on", hrefs)


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
        """Whether what is linked to is refuted, or lacks a condition."""
        return self.claim is not None and self.claim.verdict.word in FALLEN

    @property
    def fate(self) -> str:
        """«which is refuted», for what falls."""
        return FALLEN.get(self.claim.verdict.word, "") if self.claim else ""


@dataclass(frozen=True)
class Script:
    """A runnable counterexample: to which reading ('' for the claim as such), its file, its source."""

    reading: str
    path: str
    source: str
    over_time: Course | None = None

    @property
    def shown(self) -> Markup:
        """The source, highlighted."""
        return python(self.source)

    @property
    def found(self) -> Instance | None:
        """What it computes when it is run."""
        return run_script(self.source)

    @property
    def printed(self) -> str:
        """What it prints; of a long course of rounds the first and the last."""
        lines = self.found.printed.splitlines() if self.found else []
        if len(lines) <= _MOST_PRINTED:
            return "\n".join(lines)
        left_out = f"… {len(lines) - 2 * _KEPT_PRINTED} more lines"
        return "\n".join([*lines[:_KEPT_PRINTED], left_out, *lines[-_KEPT_PRINTED:]])

    @property
    def course(self) -> Drawing | None:
        """Both sides over time, where its instance counts rounds."""
        return course_of(self.found, self.source, self.over_time) if self.found else None


@dataclass(frozen=True)
class ClaimPage:
    """A claim with everything its page needs beyond the ledger entry."""

    claim: Claim
    paper_title: str
    rests_on: tuple[Link, ...]
    used_by: tuple[Link, ...]
    scripts: tuple[Script, ...]
    before: Claim | None
    after: Claim | None
    letters: Letters = field(default_factory=Letters)
    glosses: Glosses = field(default_factory=Glosses)
    instances: Mapping[str, str] = field(default_factory=dict)
    resting: tuple[Resting, ...] = ()
    own_method: OwnMethod | None = None
    looks: Mapping[str, OfShown] = field(default_factory=dict)
    of_paper: tuple[Claim, ...] = ()

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the page says of the statement, of its instances and of what holds in its place."""
        claim, shown, own = self.claim, self.shown, self.own_method
        told = [claim.plainly, claim.written, *claim.assumes, claim.tight, claim.words or claim.why]
        told += [found.whole for found in claim.mended] + [why for _, _, why in claim.open]
        if shown is not None:
            told += [shown.says, *shown.notes, *(f"{h.words}: {h.result}" for h in shown.hypotheses)]
            told += [c.says for c in shown.constants]
        if own is not None:
            told += [own.says, own.tried, own.weights, own.steps, own.participation]
        return (*filter(None, told), *(words for _, words in self.printed_letters))

    @cached_property
    def referred(self) -> tuple[Referred, ...]:
        """What these sentences lean on by name."""
        return referred(self.sentences, self.claim, self.of_paper, self.glosses.labels)

    @cached_property
    def apart(self) -> dict[str, str]:
        """How the instance shown stands to what holds in place of the print, by its kind."""
        return apart(self.claim, self.shown, self.looks)

    @property
    def uncovered(self) -> str:
        """That what holds instead does not cover the paper's own method."""
        return uncovered(self.claim)

    @property
    def matter(self) -> str:
        """What rests on it, and what of that stands."""
        return matter(self.claim, self.resting)

    @property
    def indirect(self) -> tuple[Resting, ...]:
        """What rests on it through others."""
        return tuple(r for r in self.resting if r.through)

    @property
    def weight_says(self) -> str:
        """What its weight says."""
        return WEIGHTS.get(self.claim.weight, "")

    @cached_property
    def printed_letters(self) -> tuple[tuple[str, str], ...]:
        """(LaTeX, words) of the letters of the page that the constants do not say."""
        more = () if self.own_method is None else self.own_method.formulas
        return printed_letters(self.claim, self.glosses, self.shown, more)

    @cached_property
    def hovered(self) -> Legend:
        """What each letter of a formula is, for a pointer on it."""
        return legend(self.claim, self.glosses, self.shown)

    @property
    def shown_in_words(self) -> str:
        """To which reading the instance shown is, where others fall too."""
        return shown_in_words(self.claim)

    def words(self, rows: Rows) -> dict[str, str]:
        """What the numbers of an instance are, by name, as far as the paper's package says it."""
        names = [name for name, *_ in rows]
        more = self.shown.words if self.shown is not None else {}
        return {n: more[n] for n in names if n in more} | self.glosses.named(self.claim.id, names)

    @cached_property
    def found(self) -> Instance | None:
        """The counterexample that is shown, computed by its script."""
        source = self.claim.counterexample_source
        return run_script(source) if source.strip() else None

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        return answer(self.claim, self.found)

    @property
    def reading(self) -> Reading | None:
        """The reading that the counterexample is to."""
        return shown_reading(self.claim)

    @property
    def instead(self) -> tuple[tuple[str, tuple[Markup, ...]], ...]:
        """What holds in its place: (kind of change, changes) each, in order."""
        changes = holds_instead(self.claim)
        return tuple((kind, tuple(c for _, c in held)) for kind, held in groupby(changes, key=lambda pair: pair[0]))

    @property
    def instead_head(self) -> str:
        """Above that: whether it is proved, or was only searched."""
        return heading_of(self.claim)

    @cached_property
    def shown(self) -> AtInstance | None:
        """The counterexample in the letters of the paper."""
        return at_instance(self.claim, self.letters, self.glosses)

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Left side, right side and terms as the script found them."""
        printed = self.shown.terms if self.shown is not None and self.shown.as_printed else ()
        return bars_of(self.found, self.letters, printed) if self.found else ()

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Both sides over time, clients, weights and growth of the instance."""
        if self.found is None:
            return ()
        return drawings_of(self.found, self.claim.counterexample_source, self.scripts[0].over_time)

    @property
    def instance(self) -> Rows:
        """The counterexample's own numbers, without those that its table of the clients holds."""
        return _rows(self.shown.others) if self.shown else ()

    @property
    def referee(self) -> str:
        """The counterexample as a LaTeX example environment."""
        return referee(self.claim, self.shown, self.letters)

    @cached_property
    def pictures(self) -> tuple[Picture, ...]:
        """The claim's studies as figures."""
        return _pictures(self.claim)

    @property
    def nearest(self) -> tuple[tuple[str, Rows], ...]:
        """Of the readings that no script refutes: the instance that came nearest."""
        return tuple(
            (r.name, _rows(r.worst_instance))
            for r in self.claim.readings
            if r.worst_instance and not r.counterexample_source
        )

    @property
    def lead(self) -> tuple[str, str]:
        """The explanation: its first sentences, and the rest."""
        return _split(self.claim.words or self.claim.why or "No reason was recorded.")


def _split(words: str) -> tuple[str, str]:
    if len(words) <= _LEAD * 1.4:
        return words, ""
    ends = [i for i in range(len(words)) if words.startswith(". ", i)]
    first = next((i for i in reversed(ends) if _LEAD // 3 < i <= _LEAD), next((i for i in ends if i > _LEAD // 3), 0))
    return (words[: first + 1], words[first + 2 :]) if first else (words, "")


def _rows(values: Mapping[str, object]) -> Rows:
    return tuple((k, readable.shape(v), readable.value(v)) for k, v in values.items())


def tally(claims: Sequence[Claim]) -> tuple[tuple[Verdict, int], ...]:
    """(verdict, number of claims) for the verdicts that occur, in the order of the vocabulary."""
    counts = ((v, sum(c.verdict == v for c in claims)) for v in VERDICTS)
    return tuple((v, n) for v, n in counts if n)


def papers(
    claims: Sequence[Claim], titles: Mapping[str, object], names: Mapping[str, object] = MappingProxyType({})
) -> tuple[Paper, ...]:
    """Claims grouped by paper, papers in order of first appearance, each with its title and name by its key."""
    keys = dict.fromkeys(c.paper for c in claims)
    groups = {key: tuple(c for c in claims if c.paper == key) for key in keys}
    return tuple(
        Paper(key, str(titles.get(key, key)), group, tally(_printed(group)), _headline(group), str(names.get(key, "")))
        for key, group in groups.items()
    )


def _printed(claims: Sequence[Claim]) -> list[Claim]:
    return [c for c in claims if not c.ours]


def _headline(claims: Sequence[Claim]) -> str:
    """The paper in one line; nothing for entries that do not say where a statement stands."""
    entries = [
        Entry(id=c.id, verdict=Word(c.verdict.word), level=c.level, weight=c.weight or None, ours=c.ours or None)
        for c in claims
    ]
    return headline(entries) if all(c.level for c in claims) else ""


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
        climb = _dismissed(r)
        growth = growth_plot(climb, total, violated=r.violated, name=r.name) if len(climb) > 1 else None
        if histogram or growth:
            shown.append(Picture(r, histogram, growth, growth_words(climb, total)))
    return tuple(shown)


def _dismissed(reading: Reading) -> tuple[tuple[float, float], ...]:
    """The search's climb; where a reading holds, a float above its largest exact ratio is rounding, and is that one."""
    most = reading.worst_ratio
    if most is None or reading.violated or not math.isfinite(most):
        return reading.growth
    return tuple((n, min(ratio, most)) for n, ratio in reading.growth)


def _scripts(claim: Claim, courses: Mapping[str, Course]) -> tuple[Script, ...]:
    """The claim's own counterexample first, then those of its readings that are other scripts."""
    found = [("", claim.counterexample, claim.counterexample_source)]
    found += [(r.name, _path(claim, i, r), r.counterexample_source) for i, r in enumerate(claim.readings)]
    for r in claim.readings:
        mechanisms = r.mechanisms
        found += [(f"{r.name}, all but «{m.without}»", m.counterexample, m.counterexample_source) for m in mechanisms]
    shown: list[Script] = []
    seen: set[str] = set()
    for name, path, source in found:
        if not source.strip() or path in seen or source in seen:
            continue
        seen |= {text for text in (path, source) if text}
        shown.append(Script(name, path, source.rstrip() + "\n", courses.get(path)))
    return tuple(shown)


def _path(claim: Claim, index: int, reading: Reading) -> str:
    """Where the script of a reading lies; a ledger names none for a reading that does not count for its verdict."""
    if reading.counterexample or not reading.counterexample_source.strip():
        return reading.counterexample
    return f"counterexamples/{file_name(claim.id)}-reading{index + 1}.py"


def claim_pages(
    groups: Sequence[Paper],
    courses: Mapping[str, Course] = MappingProxyType({}),
    letters: Mapping[str, Letters] = MappingProxyType({}),
    glosses: Mapping[str, Glosses] = MappingProxyType({}),
    instances: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    own_methods: Mapping[str, OwnMethod] = MappingProxyType({}),
    looks: Mapping[str, Mapping[str, OfShown]] = MappingProxyType({}),
) -> tuple[ClaimPage, ...]:
    """A page per claim, in the order of the papers; `courses` of counterexamples by the paths of their scripts.

    `letters`: by paper LaTeX of its names; `glosses`: by paper what the numbers of instances are.
    `instances`: by claim and mutant where it falls, in words, and where the claim is tight. `own_methods`: by claim
    counterexamples by the papers' own methods. `looks`: by claim how the instance shown stands to its repairs.
    """
    claims = [c for paper in groups for c in paper.claims]
    by_id = {c.id: c for c in claims}
    title = {c.id: paper.title for paper in groups for c in paper.claims}
    of_paper = {paper.key: paper.claims for paper in groups}
    used_by: dict[str, list[Link]] = {c.id: [] for c in claims}
    for c in claims:
        for dependency in dict.fromkeys(c.rests_on):
            used_by.setdefault(dependency, []).append(Link(c.id, c))
    return tuple(
        ClaimPage(
            claim=c,
            paper_title=title[c.id],
            rests_on=tuple(Link(d, by_id.get(d)) for d in dict.fromkeys(c.rests_on)),
            used_by=tuple(used_by[c.id]),
            scripts=_scripts(c, courses),
            before=claims[i - 1] if i and claims[i - 1].paper == c.paper else None,
            after=claims[i + 1] if i + 1 < len(claims) and claims[i + 1].paper == c.paper else None,
            letters=_lettered(c, letters.get(c.paper, Letters()), glosses.get(c.paper, Glosses())),
            glosses=glosses.get(c.paper, Glosses()),
            instances=instances.get(c.id, {}),
            resting=rest_on_it(c.id, of_paper[c.paper]),
            own_method=own_methods.get(c.id),
            looks=looks.get(c.id, {}),
            of_paper=of_paper[c.paper],
        )
        for i, c in enumerate(claims)
    )


def _lettered(claim: Claim, letters: Letters, glosses: Glosses) -> Letters:
    own = {name: latex for name, (latex, _) in glosses.shown_of(claim.id).items()}
    return letters.lettered(glosses.drawn, glosses.letters, claim.printed).lettered(own)


def provenance(meta: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """(name, value) of what made the report: commit, date and seed first, versions next, any further text last."""
    place = "render(meta=…)"
    rows = [(key, str(meta[key])) for key in ("commit", "date", "seed") if meta.get(key) is not None]
    rows += [(name, str(v)) for name, v in fields.mapping(meta, "versions", place).items()]
    rows += [(name, str(v)) for name, v in fields.mapping(meta, "provenance", place).items() if v is not None]
    known = {"commit", "date", "seed", "smoke", "versions", "papers", "commands", "provenance", "calibration", "issues"}
    rows += [(k, str(v)) for k, v in meta.items() if k not in known and isinstance(v, str | int | float)]
    return tuple(dict.fromkeys(rows))


def commands(groups: Sequence[Paper], meta: Mapping[str, object]) -> tuple[str, ...]:
    """What to type to get this report again: `meta['commands']`, or else one check per paper and the report."""
    given = fields.strings(meta, "commands", "render(meta=…)")
    seed = f" --seed {meta['seed']}" if meta.get("seed") is not None else ""
    return given or (*(f"fedverdict check {paper.key}{seed}" for paper in groups), "fedverdict report")
