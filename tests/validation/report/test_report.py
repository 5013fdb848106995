"""The report's pages: complete, without a network, escaped, deterministic, and clear about wrong input."""

from __future__ import annotations

import copy
import json
import math
import os
import random
import re
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from validation.report import Report, pages, render, render_single
from validation.report.claims.claims import read_claims
from validation.report.claims.order import groups_of
from validation.report.counterexample.instance import run_script
from validation.report.folder import LIST
from validation.report.pictures.curves import spread
from validation.report.pictures.scales import spanning
from validation.report.plain import as_json, as_markdown
from validation.report.text.formula import latex_of
from validation.report.text.highlight import python
from validation.report.text.mathml import mathml, prose
from validation.report.text.readable import num, ratio, value
from validation.report.verdicts import VERDICTS

META = {
    "commit": "0f3c9ab",
    "date": "2025-01-31",
    "seed": 0,
    "versions": {"fedverdict": "0.1.0", "python": "3.11.9", "numpy": "2.1.0"},
    "papers": {
        "exp_alpha": "Exp-α",
        "fedaware": "FedAWARE",
        "efl": "Elastic FL",
        "robust_aggregation": "Robust aggregation",
    },
}

SCRIPT = '''"""EA-T1 is false as printed: two clients, one round, exact arithmetic."""

from fractions import Fraction as Q

curvature, minimiser = (Q(1), Q(8)), (Q(-1), Q(1))
w, lr, share = Q(0), Q(1, 4), Q(1, 2)
for step in range(4):  # E = 4 local steps on each client, then the mean
    w = sum(share * (w - lr * h * (w - m)) for h, m in zip(curvature, minimiser))
lhs = sum(share * h / 2 * (w - m) ** 2 for h, m in zip(curvature, minimiser))
rhs = Q(118, 100)
print(f"left side {float(lhs):.4f} > right side {float(rhs):.4f}: {lhs > rhs}")
raise SystemExit(0 if lhs > rhs else 1)  # <no violation>
'''

THEOREM = (
    r"\mathbb E[F(\mathbf W^T)]-F(\mathbf W^*)\le\underbrace{\frac L{(\gamma+T)}\left(\frac{2\bar B}{\mu^2}+"
    r"\frac\gamma2\Delta_0\right)}_{vanishing}+\underbrace{\frac L\mu(\Gamma-\Omega)}_{non-vanishing}"
)
WEIGHTS = (
    r"\tilde{\mathbf W}^{t+1}=\sum_{i=1}^N\rho_i^{t+1}\mathbf W_i^{t+1},\qquad \mathbf W_i^{t+1}=\begin{cases}"
    r"\mathbf V_i^{t+1}& t+1\notin\mathcal I_E\\ \tfrac1K\sum_{i=1}^K\mathbf V_i^{t+1}& t+1\in\mathcal I_E\end{cases}"
)
CONSENSUS = (
    r"\begin{aligned}\rho^t(\lambda)&\triangleq\Big\|\mathbb E\Big[\sum_i\lambda_ig_i^t\Big]\Big\|^2\\"
    r"\lambda^\star&=\arg\min_{\lambda\in\Delta}\ "
    r"\lVert\overline{g}_t\rVert^2+\widetilde F_k\,\operatorname{div}(\lambda)\end{aligned}"
)


def histogram(worst: float, total: int, seed: int) -> dict[str, object]:
    """Counts of a bell on the log axis that ends at `worst`; the first bin holds everything near zero."""
    stream = random.Random(seed)
    edges = [0.0, *(round(worst * 10 ** (-3 + 3 * k / 32), 8) for k in range(33))]
    bell = [math.exp(-(((k - 20) / 6) ** 2)) for k in range(32)]
    counts = [total // 200, *(int(total * b / sum(bell) * stream.uniform(0.8, 1.2)) for b in bell)]
    counts[-3:] = [7, 2, 1]
    return {"edges": edges, "counts": counts}


def reading(name: str, verdict: str, worst: float | str | None, seed: int = 1, **fields: object) -> dict[str, object]:
    row: dict[str, object] = {
        "name": name, "says": "γ as in the theorem, losses at the broadcast model.", "verdict": verdict,
        "why": "", "as_printed": True, "role": "alternative", "terms": {}, "worst_ratio": worst,
        "instances": 39000, "admissible": 39200,
        "histogram": None, "growth": None, "worst_instance": None, "cells": None,
        "stages": {"corners": 1200, "random": 30000, "climb": 8000},
    }  # fmt: skip
    if isinstance(worst, float):
        row["histogram"] = histogram(worst, 39000, seed)
        row["growth"] = [[1, worst * 0.2], [40, worst * 0.55], [900, worst * 0.7], [6000, worst * 0.93], [31000, worst]]
    return row | fields


def claim(claim_id: str, paper: str, kind: str, verdict: str, **fields: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": claim_id, "paper": paper, "kind": kind, "at": "Sec. 3.2", "title": claim_id, "printed": r"a\le b",
        "plainly": "The left side is at most the right side.", "assumes": [], "verdict": verdict,
        "why": "See the readings.",
        "readings": [], "worst_ratio": None, "instances": None, "seconds": None, "seed": 0, "evaluations": None,
        "rests_on": [], "budget": 40000, "counterexample": None, "counterexample_source": None,
        "robustness": None, "mutants": [], "tight": None, "fingerprint": "9f2c4e" * 10,
        "provenance": {"commit": "0f3c9ab", "date": "2025-01-31", "python": "3.11.9", "numpy": "2.1.0"},
    }  # fmt: skip
    return entry | fields


def ledger() -> list[dict[str, object]]:
    """Made-up entries: every verdict, every kind, null fields, repairs, relations, long and odd instances."""
    instance = {
        "curvatures": [[1.0, 8.0], [0.25, 3.5], [2.0, 2.0]], "share": [0.5, 0.25, 0.25], "n_local_steps": 4,
        "w0": [k / 7 for k in range(40)], "lr": 0.25, "present": [True, False, True], "note": "minimisers collinear",
        "updates": [[[1.5, -2.0], [0.0, 3.25]], [[1e-9, 2.0], [4.0, -1.0]]],
    }  # fmt: skip
    mutants = [
        {"name": "L/μ dropped from the second term", "false_since": "At κ = 8 the drift alone exceeds the rest.",
         "killed": True, "stage": "corners"},
        {"name": "Γ − Ω turned into Ω − Γ", "false_since": "Then the bound is negative for fixed weights.",
         "killed": True, "stage": "random"},
        {"name": "γ + T turned into (γ + T)²", "false_since": "SGD with noise is not faster than 1/T.",
         "killed": False, "stage": None},
    ]  # fmt: skip
    printed = reading("gamma = L/mu", "refuted", 1.18, 2, why="Six corners violate it.", worst_instance=instance)
    appendix = reading("gamma of the appendix", "refuted", 1.03, 3, worst_instance={"lr": 0.125, "kappa": 4})
    repair = reading(
        "weights fixed in advance", "holds", 0.87, 4, as_printed=False, role="special case", why="No violation found.",
        terms={"conditions": ["weights fixed"], "met_by": "FedAvg"},
        says="Weights $\\rho_i^{t+1}$ may not depend on this round's draws.",
    )  # fmt: skip
    cells = [{"cell": "table 3: FedAvg, Skew", "value": "30.45"}, {"cell": "table 3: FedAWARE, Skew", "value": "31.20"}]
    vacuous = reading("as printed", "vacuous", None, instances=None, admissible=0, stages={})
    return [
        claim("EA-T1", "exp_alpha", "inequality", "unstated-condition", at="Theorem 1 (Sec. 3.2)",
              title="FedAvg under time-varying weights", printed=THEOREM,
              plainly="After T steps the expected gap is at most a vanishing term plus the price of unequal weights.",
              assumes=["Every $F_i$ is μ-strongly convex and L-smooth.", "Gradient variance at most $\\sigma_i^2$.",
                       "Second moment of gradients at most $G^2$.", "Full participation, step size 2/(μ(γ + t))."],
              why="Refuted as printed when weights react to this round's draws; it holds once they are fixed.",
              readings=[printed, appendix, repair], worst_ratio=1.18, instances=117000, evaluations=117000,
              seconds=341.0,
              rests_on=["EA-L1", "EA-L3", "EA-D7"], counterexample="counterexamples/EA-T1.py",
              counterexample_source=SCRIPT, robustness=0.93, mutants=mutants,
              tight="One client, the gradient along the largest curvature, and no noise.",
              level="theorem", weight="condition missing", condition="weights fixed",
              open={"gamma": {"printed": "twice", "why": "«L/μ» and A.9"}}),
        claim("EA-L1", "exp_alpha", "inequality", "holds", title="One step of the virtual sequence",
              readings=[reading("as printed", "holds", 0.999999, 5)], worst_ratio=0.999999, instances=39000,
              evaluations=39000, seconds=3.2, mutants=mutants[:1], tight="No noise, one client."),
        claim("EA-L3", "exp_alpha", "inequality", "refuted", title="Drift within a round", printed=WEIGHTS,
              readings=[reading("as printed", "refuted", "inf", 6, histogram=histogram(40.0, 5000, 6),
                                growth=[[1, 0.01], [30, 2.5], [900, 40.0]])],
              worst_ratio="inf", instances=5000, evaluations=5000, seconds=12.0, rests_on=["EA-L1"],
              counterexample="counterexamples/EA-L3.py", counterexample_source="print(1 / 0", robustness=0.0),
        claim("EA-C1", "exp_alpha", "identity", "proved", title="Proportional weights give Γ = Ω",
              printed=r"\Omega=\Gamma=\sum_i\rho_i\big(F_i(\mathbf W^*)-F_i(\mathbf W_i^*)\big)",
              why="Expanded in sympy."),
        claim("EA-C2", "exp_alpha", "identity", "misprint", title="A sign", level="step", edit="plus for minus"),
        claim("EA-R7", "exp_alpha", "relation", "needs-run", title="α = 0.2 is best", printed="",
              plainly="In Table 8, α = 0.2 gives the highest accuracy for every E.",
              why="Needs deep runs not yet made."),
        claim("FA-D2", "fedaware", "identity", "underspecified", title="Client consensus dynamics", printed=CONSENSUS,
              readings=[reading("before the round", "holds", 0.5, 7),
                        reading("after the round", "refuted", 1.0000003, 8)],
              worst_ratio=1.0000003, instances=78000, rests_on=["EA-T1"]),
        claim("FA-R3", "fedaware", "relation", "holds", title="FedAWARE beats FedAvg under skew", printed="",
              readings=[reading("as printed", "holds", None, cells=cells, stages={}, instances=2, admissible=2)],
              instances=2),
        claim("EFL-T2b", "efl", "inequality", "vacuous", title="Departure of a client", at="Theorem 2, second part",
              printed=r"\|\omega^*-\hat\omega^*\|\le\frac{2\sqrt{2L}}\mu\frac{n_a}n\sqrt{D_a}\ \unknownmacro",
              readings=[vacuous], assumes=["Strong convexity and bounded gradients on all of R^d."],
              why="Strong convexity and bounded gradients cannot both hold on R^d."),
        claim("EFL-P4", "efl", "expansion", "inconclusive", title="Eq. (32)", why=None, assumes=None, readings=None,
              mutants=None, rests_on=None, provenance=None, fingerprint=None, seed=None, at=None, plainly=None),
        claim("RA-T1", "robust_aggregation", "inequality", "holds", title="Rate with skewed selection",
              printed=r"\frac{\bar\rho}{\tilde\rho}\ge\max_{k\in S}\boldsymbol\lambda_k\cdot\mathbf 1\{F_k(w)>0\}",
              readings=[reading("as printed", "holds", 0.041, 9)], worst_ratio=0.041, instances=39000),
        claim("RA-O9", "robust_aggregation", "statement", "not-checked", title="<script>alert('title')</script>",
              why="It says <b>nothing</b> that could be tested & measured.",
              printed=r"\text{<script>alert(2)</script>}"),
    ]  # fmt: skip


def comparison(rounds: int = 60, clients: int = 10) -> dict[str, object]:
    """Made-up runs of six rules on both sides; one rule diverges, one has memory, absent clients on the deep side."""
    stream = random.Random(7)
    rules = [("fedavg", "FedAvg"), ("exp-alpha", "Exp-α (α = 0.2)"), ("fed-soft-worse", "FedSoftWorse (T = 0.5)"),
             ("fed-better", "FedBetter (k = 3)"), ("fedaware", "FedAWARE"), ("efl", "EFL")]  # fmt: skip
    keys = [
        "gamma_minus_omega",
        "skew_at_model",
        "skew_at_optimum",
        "chi_square",
        "weight_discrepancy",
        "update_diversity",
    ]
    titles = ["Γₜ − Ωₜ", "ρ(t, w)", "ρ(t, w*)", "χ²(a ‖ p)", "W_D", "Update diversity"]
    quantities = [
        {"key": key, "title": title, "unit": "loss" if key == "gamma_minus_omega" else "",
         "says": f"What {title} measures.",
         "log": key == "weight_discrepancy", "estimate": {"convex": False, "deep": key.startswith(("gamma", "skew"))},
         "why_estimate": "F_k* is replaced by the lowest loss seen on client k."}
        for key, title in zip(keys, titles, strict=True)
    ]  # fmt: skip

    def run(number: int, deep: bool) -> dict[str, object]:
        rule, title = rules[number]
        speed, level = 0.06 + 0.02 * number, 0.3 + 0.12 * number
        wave = [level * (1 + 0.3 * math.exp(-r / 15)) + stream.gauss(0, 0.03) for r in range(rounds)]
        series: dict[str, list[float | None]] = {key: [0.2 * i + w for w in wave] for i, key in enumerate(keys)}
        series["gap"] = [2 * math.exp(-speed * r) + 1e-4 * number for r in range(rounds)]
        if deep:
            series |= {"loss": [0.3 + 2 * math.exp(-speed * r) for r in range(rounds)]}
            series |= {"accuracy": [0.9 - 0.75 * math.exp(-speed * r) - 0.01 * number for r in range(rounds)]}
            del series["gap"]
        diverged = number == 5 and not deep
        if diverged:
            series = {k: [v * 1.5**r if v and r < 30 else None for r, v in enumerate(s)] for k, s in series.items()}
        series["update_diversity"][3] = None
        weights, present = [], []
        for _ in range(rounds):
            here = [not deep or stream.random() < 0.6 for _ in range(clients)]
            here[0] = True
            raw = [math.exp(number * 0.4 * stream.gauss(0, 1)) if p or rule == "fedaware" else 0.0 for p in here]
            weights.append([x / sum(raw) for x in raw])
            present.append(here)
        return {"rule": rule, "title": title, "rounds": list(range(rounds)), "series": series, "weights": weights,
                "present": present, "share": [1 / clients] * clients,
                "status": "diverged" if diverged else "finished"}  # fmt: skip

    return {
        "provenance": {"commit": "0f3c9ab", "machine": "x86_64"},
        "seed": 0,
        "quantities": quantities,
        "sides": {
            "convex": {"title": "Convex federation", "says": "10 quadratic clients in 8 dimensions, κ = 20, E = 5.",
                       "rules": [run(n, deep=False) for n in range(6)]},
            "deep": {"title": "Softmax regression on handwritten digits",
                     "says": "10 clients, two classes each; a demonstration.",
                     "rules": [run(n, deep=True) for n in range(5)]},
        },
    }  # fmt: skip


class Document(HTMLParser):
    """What the tests ask of the page: tags with their attributes, and the text in <script> and <style>."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, name: str) -> list[str]:
        return [v for _, attrs in self.tags for k, v in attrs.items() if k == name and v is not None]


def written(
    entries: list[dict[str, object]], sides: dict[str, object] | None, out: Path, **what: Any
) -> dict[str, Document]:
    """The pages by their path."""
    index = render(Report(entries, sides, **what), out)
    assert index == out / "index.html"
    return {str(path.relative_to(out)): Document(path) for path in sorted(out.rglob("*.html"))}


def of_claim(fields: dict[str, object], out: Path, **what: Any) -> Document:
    """The page of a claim X-1 with these fields."""
    return written([claim("X-1", "p", "identity", "holds") | fields], None, out, **what)["claims/X-1.html"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    return written(ledger(), comparison(), tmp_path_factory.mktemp("report"), meta=META)


def test_what_is_written(tmp_path: Path) -> None:
    written(ledger(), comparison(), tmp_path / "new" / "folder", meta=META)
    top = {p.name for p in (tmp_path / "new" / "folder").iterdir()}
    papers = {f"paper-{e['paper']}.html" for e in ledger()}
    pages = {"index.html", "overview.html", "engine.html", "two-worlds.html"}
    assert top == pages | {"claims", "assets", "counterexamples", LIST} | papers
    assert (tmp_path / "new" / "folder" / "counterexamples" / "EA-T1.py").read_text() == SCRIPT


def test_same_input_gives_the_same_bytes_however_many_forks_make_them(tmp_path: Path) -> None:
    for name, jobs in (("a", 1), ("b", 3)):
        render(Report(ledger(), comparison(), meta=META), tmp_path / name, jobs)
    assert [*json.loads((tmp_path / "a" / LIST).read_text())["files"]] == sorted(
        str(p.relative_to(tmp_path / "a")) for p in (tmp_path / "a").rglob("*") if p.is_file() and p.name != LIST
    )
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) > 20
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def test_input_is_left_alone(tmp_path: Path) -> None:
    entries, sides = ledger(), comparison()
    before = copy.deepcopy((entries, sides))
    written(entries, sides, tmp_path, meta=META)
    assert (entries, sides) == before


def test_nothing_is_loaded_from_elsewhere(site: dict[str, Document]) -> None:
    for name, page in site.items():
        assert not page.all("action") + page.all("srcset")
        assert {src.removeprefix("../") for src in page.all("src")} == {"assets/app.js"}
        assert not {"img", "iframe", "object", "embed", "form"} & {tag for tag, _ in page.tags}
        assert not re.search(r"@import|https?://", page.html), name
        policy = next(attrs for tag, attrs in page.tags if tag == "meta" and "http-equiv" in attrs)["content"]
        assert policy is not None
        assert policy.startswith("default-src 'none'")


_ATTRIBUTE = re.compile(r' (id|href|src|aria-labelledby|aria-controls)="([^"]*)"')


def broken_links(out: Path) -> list[str]:
    """Every link of every page that leads to no file, or to no id in it; text cannot hold a bare quote."""
    files = {os.path.normpath(path) for path in out.rglob("*") if path.is_file()}
    pages = {os.path.normpath(p): _ATTRIBUTE.findall(p.read_text("utf-8")) for p in out.rglob("*.html")}
    ids = {path: [value for key, value in held if key == "id"] for path, held in pages.items()}
    known = {path: set(held) for path, held in ids.items()}
    found = [f"{path}: an id twice" for path, held in ids.items() if len(held) != len(known[path])]
    for path, held in pages.items():
        for key, said in dict.fromkeys(held):
            if key in {"href", "src"}:
                name, _, part = said.partition("#")
                target = os.path.normpath(Path(path).parent / name) if name else path
                if target not in files or (part and part not in known.get(target, set())):
                    found.append(f"{path}: {said}")
            elif key != "id" and said not in known[path]:
                found.append(f"{path}: {key} {said}")
    return found


def test_every_claim_has_its_page_and_every_link_its_target(tmp_path: Path) -> None:
    pages = written(ledger(), comparison(), tmp_path, meta=META)
    assert {f"claims/{e['id']}.html" for e in ledger()} <= set(pages)
    assert broken_links(tmp_path) == []
    (tmp_path / "claims" / "EA-L1.html").unlink()
    assert broken_links(tmp_path)


def test_the_search_index_names_every_claim(tmp_path: Path) -> None:
    written(ledger(), comparison(), tmp_path, meta=META)
    text = (tmp_path / "assets" / "search.js").read_text("utf-8")
    held = json.loads(text.removeprefix("window.FEDVERDICT = ").removesuffix(";\n"))
    rows = {row[1]: row for row in held["claims"]}
    assert set(rows) == {e["id"] for e in ledger()}
    assert rows["EA-T1"][3] == "Theorem 1 (Sec. 3.2)"
    assert "Γ Gamma" in rows["EA-T1"][7]
    assert held["papers"]["exp_alpha"] == "Exp-α"


def test_one_paper_stands_alone_in_one_file(tmp_path: Path) -> None:
    import base64
    import hashlib

    report = Report(ledger(), comparison(), meta=META)
    page = Document(render_single(report, "exp_alpha", tmp_path / "exp.html"))
    assert {p.name for p in tmp_path.iterdir()} == {"exp.html", LIST}
    scripts = re.findall(r"<script>(.*?)</script>", page.html, flags=re.DOTALL)
    assert len(scripts) == 1
    assert base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode() in page.html
    assert not page.all("src")
    assert all(href.startswith("#") for href in page.all("href"))
    assert {href[1:] for href in page.all("href")} <= set(page.all("id"))
    assert {e["id"] for e in ledger() if e["paper"] == "exp_alpha"} <= set(page.all("id"))
    with pytest.raises(ValueError, match="--single-file nobody: expected one of efl, exp_alpha"):
        render_single(report, "nobody", tmp_path / "x.html")


def test_plain_text_says_the_same(tmp_path: Path) -> None:
    report = Report(ledger(), comparison(), meta=META)
    papers = {p["key"]: p for p in json.loads(as_json(report, tmp_path).read_text("utf-8"))}
    shown = papers["exp_alpha"]["groups"][0]["claims"][0]
    assert (shown["id"], shown["verdict"], shown["condition"]) == ("EA-T1", "unstated-condition", "weights fixed")
    (instead,) = shown["instead"]
    assert instead["text"] == "No violation was found with one more condition: weights fixed."
    assert (instead["readings"], instead["verdicts"]) == (["weights fixed in advance"], ["holds"])
    assert shown["command"] == "fedverdict check EA-T1 --budget 40000 --seed 0"
    assert as_markdown(report, tmp_path) == tmp_path / "index.md"
    text = (tmp_path / "exp_alpha.md").read_text("utf-8")
    assert (
        f"**EA-T1** FedAvg under time-varying weights (Theorem 1 (Sec. 3.2)): **unstated-condition**. {shown['answer']}"
        in text
    )


def test_every_verdict_is_a_word_on_the_page(site: dict[str, Document]) -> None:
    for verdict in VERDICTS:
        assert f"</span>{verdict.word}</span>" in site["index.html"].html
    assert {e["verdict"] for e in ledger()} == {v.word for v in VERDICTS}


def test_pictures_speak_and_tables_have_captions(site: dict[str, Document]) -> None:
    pictures = [a for p in site.values() for tag, a in p.tags if tag == "svg" and "plot" in (a.get("class") or "")]
    assert len(pictures) > 20
    assert all(p["role"] in ("img", "group") and p["aria-label"] for p in pictures)
    for page in site.values():
        assert page.html.count("<table") == page.html.count("<caption")
        assert "NaN" not in page.html
        assert not re.search(r'="[^"]*\b(nan|inf)\b[^"]*"', re.sub(r'title="[^"]*"', "", page.html))


def test_text_of_the_ledger_is_escaped(site: dict[str, Document]) -> None:
    page = site["claims/RA-O9.html"]
    assert page.html.count("<script") == 1
    assert "&lt;script&gt;alert(" in page.html
    assert "<b>nothing</b>" not in page.html


@pytest.mark.parametrize("field", ["title", "plainly", "why", "at", "printed", "tight", "kind", "fingerprint", "paper"])
def test_no_field_reaches_the_page_as_markup(field: str, tmp_path: Path) -> None:
    attack = "\"><img src=x onerror=alert(1)>'</script><script>alert(1)</script>"
    for document in written([claim("X-1", "p", "identity", "holds") | {field: attack}], None, tmp_path).values():
        assert "img" not in {tag for tag, _ in document.tags}
        assert sum(tag == "script" for tag, _ in document.tags) == 1


def test_nested_fields_are_escaped_too(tmp_path: Path) -> None:
    attack = "<img src=x>"
    row = reading(attack, "holds", 0.5, says=attack, repair=attack, cells=[{"cell": attack, "value": attack}],
                  worst_instance={attack: [attack, attack]}, stages={attack: 3})  # fmt: skip
    entry = claim("X-1", "p", "identity", "holds", readings=[row], assumes=[attack], rests_on=[attack],
                  counterexample="a.py", counterexample_source=attack, provenance={attack: attack},
                  mutants=[{"name": attack, "false_since": attack, "killed": True, "stage": attack}])  # fmt: skip
    printing = claim("X-2", "p", "identity", "refuted", edit=f"{attack} in place of {attack}", condition=attack,
                     counterexample="b.py",
                     counterexample_source=f"INSTANCE = {{'{attack}': '{attack}'}}\nlhs, rhs = 2, 1\n"
                     f"print('hypothesis {attack}: True')\nraise SystemExit(0)\n")  # fmt: skip
    sides = comparison(rounds=5)
    sides["sides"]["deep"]["rules"][0]["title"] = attack  # type: ignore[index]
    pages = written([entry, printing], sides, tmp_path, title=attack, meta={"commit": attack, "papers": {"p": attack}})
    assert "&lt;img src=x&gt;: met" in pages["claims/X-2.html"].html
    for document in pages.values():
        assert "img" not in {tag for tag, _ in document.tags}


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x.py"])
def test_a_script_stays_inside_the_folder(path: str, tmp_path: Path) -> None:
    entry = claim("X-1", "p", "identity", "refuted", counterexample=path, counterexample_source="print(1)")
    with pytest.raises(ValueError, match="expected a path within the paper's folder"):
        render(Report([entry]), tmp_path / "report")
    assert not list(tmp_path.iterdir())


def test_what_a_claim_page_shows(site: dict[str, Document]) -> None:
    page = site["claims/EA-T1.html"].html
    for shown in ("<math", "vanishing", "fedverdict check EA-T1 --budget 40000 --seed 0", 'href="../claims/EA-L3.html"',
                  "which is refuted", "(not in this report)", "worst 1.18", "93\u202f%", "117\u202f000",
                  "caught by corners", "<b>missed</b>", "with a condition: weights fixed; met by FedAvg",
                  "Open: γ, printed twice: «L/μ» and A.9", "<ins>weights fixed</ins>",
                  "weight: <b>condition missing</b>", "python counterexamples/EA-T1.py",
                  "largest ratio found by the search, in floating point", r"\begin{example}[Theorem 1"):  # fmt: skip
        assert shown in page, shown
    assert "Boundary case" in site["claims/EA-L3.html"].html
    assert "table 3: FedAWARE, Skew" in site["claims/FA-R3.html"].html
    assert "Yes: established symbolically." in site["claims/EA-C1.html"].html


TERMS = """from fractions import Fraction
INSTANCE = {"curvature": [Fraction(1), Fraction(4)], "optimum": [Fraction(-1), Fraction(2)], "start": Fraction(1, 2)}
L, mu, gamma = Fraction(3), Fraction(2), Fraction(5)
lhs = Fraction(7, 3)
rhs = Fraction(L/gamma + mu*(gamma - L)/2 - 1)
print("hypothesis L > 0: True")
raise SystemExit(0 if lhs > rhs else 1)
"""


def test_the_numbers_beside_a_claim_are_those_of_its_script(tmp_path: Path) -> None:
    found = run_script(TERMS)
    assert found is not None
    assert (found.left, found.right, found.confirmed) == (Fraction(7, 3), Fraction(8, 5), True)
    assert found.terms == (
        ("L / gamma", Fraction(3, 5)),
        ("mu * (gamma - L) / 2", Fraction(2)),
        ("-1", Fraction(-1)),
    )
    # The entry claims other numbers; the page shows the script's.
    page = of_claim({"verdict": "refuted", "worst_ratio": 99.5, "counterexample": "counterexamples/X-1.py",
                     "counterexample_source": TERMS}, tmp_path).html  # fmt: skip
    answered = page.split('class="answer">')[1].split("</p>")[0]
    assert answered == "No: the left side is 7/3 ≈ 2.333, the right side 8/5 = 1.6."
    assert "1.458 times the right side" in page
    for shown in ("3/5 = 0.6", "curvature", "L &gt; 0: met", "2 clients on a line"):
        assert shown in page, shown
    assert run_script(TERMS.replace("Fraction(7, 3)", "Fraction(1)")).confirmed is False  # type: ignore[union-attr]
    assert run_script("x = 1") is None
    assert run_script("raise ValueError('no')") is None
    assert run_script("raise SystemExit(2)") is None


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        ("L*(Gamma - Omega)/mu", r"\frac{L\,\left(\Gamma -\Omega \right)}{\mu }"),
        ("2*G2*(E - 1)**2", r"2\,G^{2}\,{\left(E-1\right)}^{2}"),
        ("-a + sigma_1", r"\sigma _{1}-a"),
        ("-2*a*b - b - c*(1 - b) + 1", r"1-2\,a\,b-b-c\,\left(1-b\right)"),
        ("Fraction(1, 2)*Max(a, b)", r"\frac{1}{2}\,\max(a,b)"),
        ("a - (b - c)", r"a-\left(b-c\right)"),
        ("f(x)[0]", r"\text{f(x)[0]}"),
    ],
)
def test_a_script_s_formula_becomes_latex(expression: str, latex: str) -> None:
    assert latex_of(expression) == latex
    assert mathml(latex_of(expression)).startswith("<math")


def test_explanation_and_further_scripts(tmp_path: Path) -> None:
    scripts = [("counterexamples/X-1.py", "main = 1"), ("counterexamples/X-1-reading1.py", "other = 2")]
    rows = [reading(f"reading {i}", "refuted", 2.0, counterexample=path, counterexample_source=source)
            for i, (path, source) in enumerate(scripts)]  # fmt: skip
    entry = claim("X-1", "p", "inequality", "refuted", words="In plain words.", why="Mechanically.", readings=rows,
                  counterexample=scripts[0][0], counterexample_source=scripts[0][1])  # fmt: skip
    pages = written([entry], None, tmp_path, meta={"smoke": True, "provenance": {"scipy": "1.17"}})
    html = pages["claims/X-1.html"].html
    assert "In plain words." in html
    assert html.count('aria-label="Counterexample script"') == 2
    assert "Another one, for the reading: reading 1" in html
    assert "This is a quick test" in pages["index.html"].html
    assert "<dt>scipy</dt><dd>1.17</dd>" in pages["index.html"].html


def test_results_stand_in_the_order_of_print_with_their_steps(tmp_path: Path) -> None:
    def row(name: str, level: str, source: str, *needs: str) -> dict[str, object]:
        return claim(name, "p", "inequality", "holds", level=level, at=source, rests_on=list(needs))

    rows = [row("L2", "lemma", "Lemma 2 (A.8), eq. (3)", "S1"), row("L1", "lemma", "Lemma 1 (A.8)"),
            row("T1", "theorem", "Theorem 1 (Sec. 3.2), proof A.9", "L1"), row("S1", "step", "A.11"),
            row("S2", "step", "A.9, (7)"), row("S3", "step", "A.10, proof of Lemma 1"), row("S4", "step", "B.1"),
            row("C1", "theorem", "Corollary 1 (Sec. 3.3)")]  # fmt: skip
    groups = groups_of(read_claims(rows))
    assert [(r.claim.id, [s.id for s in r.steps]) for r in groups[0].results] == [
        ("T1", ["S2"]), ("C1", []), ("L1", ["S3"]), ("L2", ["S1"]),
    ]  # fmt: skip
    assert [(g.key, [r.claim.id for r in g.results]) for g in groups[1:]] == [("steps", ["S4"])]
    page = written(rows, None, tmp_path)["paper-p.html"].html
    named = re.findall(r'(?:<h3><a|<a class="id") href="claims/(\w+).html"', page)
    assert named == ["T1", "S2", "C1", "L1", "S3", "L2", "S1", "S4"]
    assert "<b>4 of 4</b> theorems and lemmas hold as printed" in page


def test_what_is_asked_by_us_stands_apart_and_counts_for_nothing(tmp_path: Path) -> None:
    why = "nowhere is a first step promised"
    rows = [
        claim("T1", "p", "inequality", "holds", level="theorem", at="Theorem 1"),
        claim("A1", "p", "inequality", "underspecified", level="lemma", at="Sec. 2", ours=why, printed="x"),
        claim("A2", "p", "inequality", "holds", level="step", at="Sec. 2", ours=why),
    ]
    groups = groups_of(read_claims(rows))
    assert [(g.key, [r.claim.id for r in g.results]) for g in groups] == [("results", ["T1"]), ("asked", ["A1", "A2"])]
    (paper,) = pages.papers(read_claims(rows), {})
    assert (paper.standing, len(paper.results), paper.weights) == (1, 1, ())
    assert [(v.word, n) for v, n in paper.counts] == [("holds", 1)]
    assert [(v.word, n) for v, n in paper.apart] == [("holds", 1), ("underspecified", 1)]
    site = written(rows, None, tmp_path)
    index = " ".join(site["index.html"].html.split())
    assert "Our own questions, counted separately: 1 holds · 1 underspecified" in index
    assert "1 statements of 1 paper " in index
    assert "2 further statements of our own are counted separately: on points that the papers leave open" in index
    assert "<b>1 of 1</b> theorems and lemmas hold as printed" in site["paper-p.html"].html
    assert why in site["claims/A1.html"].html
    assert "Our question" in site["claims/A1.html"].html
    assert "Our question" not in site["claims/T1.html"].html


@pytest.mark.parametrize(("verdict", "coloured"), [("holds", False), ("refuted", True)])
def test_only_a_violation_is_coloured_as_one(verdict: str, coloured: bool, tmp_path: Path) -> None:
    bins = {"edges": [0.0, 1e-6, 0.5, 1.0, 2.0, "inf"], "counts": [5, 0, 3, 4, 1]}
    row = reading("r", verdict, 3.0, histogram=bins, growth=[[1, 0.5], [10, 3.0], [20, "inf"]])
    html = of_claim({"kind": "inequality", "verdict": verdict, "readings": [row]}, tmp_path).html
    assert ('class="bar over"' in html, 'class="climb over"' in html) == (coloured, coloured)
    assert ">more</text>" in html
    assert ("ends at ∞" in html) == coloured  # above its exact ratio a statement that holds has rounding alone


def test_latex_that_cannot_be_drawn_is_shown_as_it_is(site: dict[str, Document]) -> None:
    assert '<code class="latex">\\|\\omega^*' in site["claims/EFL-T2b.html"].html


@pytest.mark.parametrize(
    "latex", [r"\frac{1}", r"\nocommand{x}", r"\frac{", r"a}", r"a & b", r"\left( a", r"\begin{cases}a"]
)
def test_broken_latex_falls_back(latex: str) -> None:
    assert mathml(latex).startswith('<code class="latex">')


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (
            THEOREM,
            ["𝔼", "𝐖", "<mtext>vanishing</mtext>", "<mtext>non-vanishing</mtext>", '<mi mathvariant="normal">Γ</mi>'],
        ),
        (CONSENSUS, ["<mtable", "≜", "‖", "arg", "<munder><mo", "div"]),
        (WEIGHTS, ["{", "<mtable", "∉", "ℐ"]),
        (r"\overline{ab}+\bar c", ['<mrow class="overline">', "¯"]),
        (r"\mathrm{softmax}(x)\log T", ["<mi>softmax</mi>", ">log</mo>"]),
        (r"\boldsymbol\lambda\in\mathbb R^d", ["𝝀", "ℝ"]),
        (r"a\\b", ["<mtable"]),
        (r"\text{<b>}x\href{javascript:alert(1)}{y}", ["&lt;b&gt;", ">y</m"]),
    ],
)
def test_latex_becomes_mathml_browsers_draw(latex: str, parts: list[str]) -> None:
    drawn = mathml(latex)
    assert drawn.startswith("<math")
    assert not [part for part in parts if part not in drawn]
    assert not re.search(r"\\|<b>|href|javascript|linebreak|double-struck|bold", drawn)


def test_mathematics_inside_prose() -> None:
    assert prose("a < $b^2$") == 'a &lt; <math display="inline"><mrow><msup><mi>b</mi><mn>2</mn></msup></mrow></math>'
    assert prose("costs $5 <now>") == "costs $5 &lt;now&gt;"


def test_what_decides_where_control_variates_lead_is_said(tmp_path: Path) -> None:
    row = {"client": "scaffold", "variates": "share", "rule": "uniform", "to_share": 2e-9, "to_uniform": 0.25}
    limits = {"says": "The means decide where it goes.", "rows": [row]}
    page = written(ledger(), {**comparison(rounds=4), "limits": limits}, tmp_path / "a", meta=META)["two-worlds.html"]
    assert "The means decide where it goes." in page.html
    assert "<td>scaffold</td><td>share</td><td>uniform</td>" in page.html
    without = written(ledger(), comparison(rounds=4), tmp_path / "b", meta=META)["two-worlds.html"]
    assert "Limits of control variates" not in without.html
    with pytest.raises(ValueError, match="limits: 'rule'"):
        written(ledger(), {**comparison(rounds=4), "limits": {"rows": [{**row, "rule": 3}]}}, tmp_path / "c")


def test_without_a_comparison_nothing_points_to_it(tmp_path: Path) -> None:
    pages = written(ledger(), None, tmp_path, meta=META)
    assert "two-worlds.html" not in pages
    assert broken_links(tmp_path) == []


def test_an_empty_ledger_is_a_report_too(tmp_path: Path) -> None:
    assert "0 statements of 0 papers" in re.sub(r"\s+", " ", written([], None, tmp_path)["index.html"].html)


def test_side_by_side_page(site: dict[str, Document]) -> None:
    section = site["two-worlds.html"].html
    assert "demonstration on a small bundled data set" in section
    assert section.count('<span class="tag estimate">estimate</span>') == 3
    assert "F<sub>k</sub>* is replaced by the lowest loss seen" in section
    assert "EFL (diverged)" in section
    assert "Not measured in this setting." in section
    assert section.count('class="plot strip"') == 11


def test_an_unfinished_series_is_drawn_as_far_as_it_goes(tmp_path: Path) -> None:
    sides = comparison(rounds=4)
    for run in sides["sides"]["deep"]["rules"]:  # type: ignore[index]
        run["series"]["chi_square"] = [None, None, "inf", None]
        run["series"]["accuracy"] = [None, 0.5, None, None]
        run["series"]["weight_discrepancy"] = [0.0, -1.0, 0.1, 0.2]
        run["weights"] = []
        run["present"] = []
    html = written([], sides, tmp_path)["two-worlds.html"].html
    assert "10 values at or below zero cannot be shown on the log axis." in html
    assert "Not run in this setting." in html


def test_many_rounds_are_thinned_but_keep_their_spikes(tmp_path: Path) -> None:
    sides = comparison(rounds=3000)
    series = sides["sides"]["convex"]["rules"][0]["series"]  # type: ignore[index]
    series["chi_square"][1501] = 9.75
    html = written([], sides, tmp_path)["two-worlds.html"].html
    assert len(html) < 3_000_000
    assert re.search(r">10</text>|>7.5</text>", html)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, r"entry 0: 'id' is None; expected a non-empty string"),
        ({"id": " "}, r"entry 0: 'id'"),
        ({"id": "engine"}, r"id 'engine' has the same page as the page 'engine'"),
        ({"paper": None}, r"X-1: 'paper' is None"),
        ({"verdict": "maybe"}, r"X-1: verdict is 'maybe'; expected one of proved, holds"),
        ({"worst_ratio": "big"}, r"X-1: 'worst_ratio' is 'big'; expected a number, 'inf' or null"),
        ({"instances": 1.5}, r"X-1: 'instances' is 1.5; expected a whole number"),
        ({"assumes": "convex"}, r"X-1: 'assumes' is 'convex'; expected a list"),
        ({"readings": [3]}, r"X-1: 'readings' is 3; expected a list of objects"),
        (
            {"readings": [reading("r", "holds", None, histogram={"edges": [0, 1], "counts": [1, 2]})]},
            r"2 edges and 2 counts",
        ),
        (
            {"readings": [reading("r", "holds", None, histogram={"edges": [0, 1, 1], "counts": [1, 2]})]},
            r"must increase",
        ),
        ({"readings": [reading("r", "holds", None, growth=[[1, 2, 3]])]}, r"expected pairs"),
    ],
)
def test_wrong_entries_are_refused_by_name(change: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        render(Report([claim("X-1", "p", "identity", "holds") | change]), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_repeated_id_is_refused(tmp_path: Path) -> None:
    twice = [claim("X-1", "p", "identity", "holds")] * 2
    with pytest.raises(ValueError, match="id 'X-1' has the same page as the claim 'X-1'"):
        render(Report(twice), tmp_path)


def test_an_id_a_url_would_escape_gets_a_page(tmp_path: Path) -> None:
    pages = written([claim("X 1/β", "p", "identity", "holds")], None, tmp_path)
    assert "X-1--" in pages["claims/X-1--.html"].all("id")
    assert broken_links(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "value_", "message"),
    [
        (["sides"], {"convex": {}}, r"'sides' has \['convex'\]; expected 'convex' and 'deep'"),
        (
            ["sides", "deep", "rules", 0, "series", "loss"],
            [1.0],
            r"deep, rule fedavg: series 'loss' has 1 values for 60 rounds",
        ),
        (["sides", "deep", "rules", 0, "share"], [1.0], r"'weights', 'present' and 'share' differ"),
        (["sides", "convex", "rules", 0, "rule"], None, r"convex: 'rule' is None"),
    ],
)
def test_wrong_comparisons_are_refused_by_name(
    path: list[str | int], value_: object, message: str, tmp_path: Path
) -> None:
    sides = comparison()
    place: object = sides
    for key in path[:-1]:
        place = place[key]  # type: ignore[index]
    place[path[-1]] = value_  # type: ignore[index]
    with pytest.raises(ValueError, match=message):
        render(Report([], sides), tmp_path)


def test_labels_never_overlap_and_keep_their_order() -> None:
    stream = random.Random(3)
    for _ in range(200):
        wanted = [stream.choice([stream.uniform(0, 100), 50.0, 99.0]) for _ in range(stream.randint(1, 9))]
        placed = spread(wanted, 10, 0, 100)
        order = sorted(range(len(wanted)), key=lambda i, w=wanted: (w[i], i))
        assert all(placed[b] - placed[a] >= 10 - 1e-9 for a, b in pairwise(order))
        assert min(placed) >= -1e-9
        assert max(placed) <= 100 + 1e-9
    assert spread([5.0, 80.0], 10, 0, 100) == [5.0, 80.0]
    assert spread([], 10, 0, 100) == []
    assert len(set(spread([1.0] * 30, 10, 0, 100))) == 30


@pytest.mark.parametrize(
    "values", [[], [0.0], [1.0, 1.0], [-3.0, 8.0], [1e-300, 1e300], [5e9, 5e9 + 1], [math.nan, 2.0]]
)
def test_axes_hold_their_values(values: list[float]) -> None:
    for log in (False, True):
        scale = spanning(values, 0, 100, log=log)
        inside = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
        assert all(-1e-6 <= scale(v) <= 100 + 1e-6 for v in inside)
        assert all(scale.lo * (1 - 1e-6) <= t <= scale.hi * (1 + 1e-6) or not log for t in scale.ticks())
        assert len(scale.ticks()) <= 13


def test_numbers_for_eyes() -> None:
    assert [num(x, digits) for x, digits in ((99_999.7, 5), (9_999.6, 4), (-99_999.7, 5))] == [
        "100\u202f000",
        "10\u202f000",
        "−100\u202f000",
    ]
    assert [num(x) for x in (None, 0.0, 0.73124, 117000.0, 1.5e-7, 1e-6, -2.0, math.inf, math.nan)] == [
        "—", "0", "0.7312", "117\u202f000", "1.5×10⁻⁷", "10⁻⁶", "−2", "∞", "undefined",
    ]  # fmt: skip
    assert ratio(1.0000003) == "1 + 3×10⁻⁷"
    assert ratio(1.0) == ratio(1 - 4e-16) == "1"
    assert value([[1, 20], [3, 4]]) == "1  20\n3   4"
    assert value({"a": [1.5], "b": []}) == "a: 1.5\nb: (empty)"
    assert "…" in value(list(range(100)))
    assert value([[1], [2, 3]]) == "[0]: 1\n[1]: 2  3"


@pytest.mark.parametrize("source", [SCRIPT, "print(1 / 0", "", "x = '''", "a\tb\r\n", "π = 'ü'  # ∑\n", 'f"{x:.2f}"\n'])
def test_highlighting_keeps_every_character(source: str) -> None:
    import html

    assert html.unescape(re.sub(r"</?span[^>]*>", "", python(source))) == source


def test_a_paper_is_called_by_its_own_name_where_its_title_has_none() -> None:
    rows = read_claims([claim(key, key, "inequality", "holds") for key in ("first_paper", "second_paper", "third")])
    titles = {"first_paper": "On rules", "second_paper": "Beta: on rules", "third": "On all that is known: none"}
    found = pages.papers(rows, titles, {"first_paper": "Alpha"})
    assert [paper.short for paper in found] == ["Alpha", "Beta", "third"]
