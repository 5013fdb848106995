"""What EFL's text says about printed rates and thresholds: Table 1 and eq. (9)."""

from __future__ import annotations

import itertools

from paper_checks.efl.relations_tables import table
from validation import Cell, Comparison
from validation.statement.printed import (
    canary,
    reading,
    relation_claim,
    reverse,
)

__all__ = ["RATES"]

Comparisons = tuple[Comparison, ...]


def _rates(points: tuple[dict[str, str], ...], methods: tuple[str, ...], times: int = 1) -> Comparisons:
    """EFL's printed rate at most `times` that of each method, at constants of ours; r stands for √eps."""
    out = []
    for point in points:
        cells = {f"{k}_": Cell(v, f"chosen: {'√eps' if k == 'r' else k}") for k, v in point.items()}
        ours = _formula("EFL")
        for m in methods:
            at = ", ".join(f"{'√eps' if k == 'r' else k} = {v}" for k, v in point.items())
            theirs = _formula(m) if times == 1 else f"{times}*({_formula(m)})"
            most = "" if times == 1 else f"{times} times "
            out.append(
                Comparison(f"EFL's rate is at most {most}{m}'s at {at}", ours, "<=", theirs, _used(cells, ours, theirs))
            )
    return tuple(out)


def _used(cells: dict[str, Cell], *sources: str) -> dict[str, Cell]:
    return {name: cell for name, cell in cells.items() if any(name in s for s in sources)}


def _formula(method: str) -> str:
    """The printed rate as exact source: every symbol gets a trailing underscore, eps is r_²."""
    text = table("table1_rates").row(method=method)["rounds_formula"]
    text = text.replace("sqrt(eps)", "r").replace("eps", "r^2")
    words = ("sigma", "delta", "mu", "G", "L", "S", "N", "r")
    out, rest = "", text
    while rest:
        word = next((w for w in words if rest.startswith(w)), None)
        out += f"{word}_" if word else rest[0]
        rest = rest[len(word) if word else 1 :]
    return out.replace("^", "**")


# δ <= 2L always, since each Hessian lies between 0 and L.
_POINTS = tuple(
    {"G": g, "L": "1", "mu": "0.1", "S": "10", "delta": delta, "r": r}
    for g in ("0.1", "1", "10")
    for delta in ("0.1", "2")
    for r in ("0.01", "0.1", "0.3")
)
_SMALL = tuple(p for p in _POINTS if p["r"] == "0.01")
_TINY = tuple({**p, "r": "0.0001"} for p in _SMALL)


def _threshold(varying: bool, factors: tuple[str, ...] = ("1", "2", "5", "10", "20")) -> Comparisons:
    """C / (J T E) falls as E grows; C = E⁵ + E² where it varies, as in the display of 4.2 with its sums at 1."""
    out = []
    for few, many in itertools.pairwise(factors):
        cells = {"E_few": Cell(few, "chosen: E"), "E_many": Cell(many, "chosen: E")}
        left, right = (f"({e}**5 + {e}**2)/{e}" if varying else f"1/{e}" for e in ("E_many", "E_few"))
        out.append(Comparison(f"the threshold at E = {many} is below that at E = {few}", left, "<", right, cells))
    return tuple(out)


RATES = (
    relation_claim(
        "EFL-P23",
        source="Sec. 3.2, Table 1",
        quote=r"The proposed EFL algorithm achieves a tighter bound than methods that assume μ-strongly convex",
        title="Tighter than SCAFFOLD and MIME",
        says="EFL's printed number of rounds is at most that of SCAFFOLD and of MIME.",
        assumes=(
            "order expressions compared as printed, constants 1",
            "δ <= 2L, since δ bounds differences of Hessians",
        ),
        readings=(
            reading(
                "for all constants",
                "At every point of a grid of G, δ and ε, with L = 1.",
                lambda: _rates(_POINTS, ("SCAFFOLD", "MIME")),
            ),
            reading(
                "for small ε, one method at least at each point",
                "Charitable: ε = 0.0001, and only the looser of the two has to be beaten.",
                lambda: tuple(
                    Comparison(
                        a.says + " or MIME's", a.left, "<=", f"Max({a.right}, {b.right})", {**a.cells, **b.cells}
                    )
                    for a, b in zip(_rates(_SMALL, ("SCAFFOLD",)), _rates(_SMALL, ("MIME",)), strict=True)
                ),
            ),
            reading(
                "no larger order for small ε",
                "Most charitable: «tighter» as «not of larger order» (EFL-TAB1): at ε = 10⁻⁸ at most twice either rate.",
                lambda: _rates(_TINY, ("SCAFFOLD", "MIME"), times=2),
            ),
        ),
        canaries=(
            canary(
                "at most twice MIME's rate at ε = 0.0001",
                lambda: _rates(_SMALL, ("MIME",), times=2),
                "with G = 0.1 the first term is 100 and EFL's other one 1000",
            ),
            canary(
                "tighter than MIME at δ = 0.1",
                lambda: _rates(tuple(p for p in _POINTS if p["delta"] == "0.1"), ("MIME",)),
                "L/√ε exceeds δ there, and the other term is the same",
            ),
        ),
        words=(
            "The first terms agree. What remains is L/(μ√ε) for EFL against G/(μ√ε) + L/μ for SCAFFOLD and δ/μ for MIME. Since "
            "δ is at most 2L, MIME's is the smaller for every ε below 1/4. SCAFFOLD's is larger exactly when "
            "G >= L(1 − √ε); with G = 0.1 and L = 1 EFL's printed bound is the loosest of all three. For ε → 0 the equal first term "
            "dominates, so EFL's is not of larger order than the others; but of no smaller one, either (EFL-TAB1)."
        ),
    ),
    relation_claim(
        "EFL-P24",
        source="Sec. 4.1, after Corollary 1",
        quote="the more epochs the training on the local client, the more sensitive it is to the in-activeness",
        title="More local epochs, lower threshold",
        says="The threshold C/(JTE) of eq. (9) falls as the number E of local epochs grows.",
        assumes=("y^a > C/(JTE) with the hidden constant 1", "J and T fixed"),
        readings=(
            reading("C fixed", "C does not depend on E.", lambda: _threshold(varying=False)),
            reading(
                "C as in Sec. 4.2",
                "C grows like E⁵ + E², as the display of Sec. 4.2 prints it.",
                lambda: _threshold(varying=True),
            ),
        ),
        canaries=(canary("threshold rising", lambda: reverse(_threshold(varying=False)), "1/E falls as E grows"),),
        words=(
            "With C fixed the threshold is proportional to 1/E and the sentence follows. But C depends on E: the display of "
            "Sec. 4.2 has E⁵ in its place, and then the threshold grows with E. The paper does not say what is held fixed."
        ),
    ),
)
