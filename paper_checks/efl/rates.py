"""What EFL's text says about printed rates and thresholds: Table 1, as cells and as formulas, and eq. (9)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.relations_tables import table
from validation import Case, Cell, Claim, Comparison, Family, Integer, LogScale, Relation, Size, Space
from validation.published.relations import reverse
from validation.statement.forms.quotients import n
from validation.world import Order, OrderFamily, World, at, case, le, mutant, nowhere, reading, remark, twice

__all__ = ["CLAIMS"]

L, G, over_scaffold, over_mime = NOTATION.symbols("L G over_scaffold over_mime")
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


def efl_scaffold(root: Any, G: Any, L: Any, mu: Any, S: Any) -> tuple[Fraction, Fraction]:
    """(rounds of EFL, rounds of SCAFFOLD) to accuracy eps = root^2, as Table 1 prints them."""
    first = Fraction(G**2) / (mu * S * root**2)
    return first + Fraction(L) / (mu * root), first + Fraction(G) / (mu * root) + Fraction(L) / mu


def efl_mime(root: Any, G: Any, L: Any, mu: Any, S: Any, delta: Any) -> tuple[Fraction, Fraction]:
    """(rounds of EFL, rounds of MIME) to accuracy eps = root^2, delta <= 2 L."""
    first = Fraction(G**2) / (mu * S * root**2)
    return first + Fraction(L) / (mu * root), first + Fraction(delta) / mu


def efl_first(root: Any, G: Any, L: Any, mu: Any, S: Any) -> tuple[Fraction, Fraction]:
    """(rounds of SCAFFOLD, EFL's last term alone)."""
    first = Fraction(G**2) / (mu * S * root**2)
    return first + Fraction(G) / (mu * root) + Fraction(L) / mu, Fraction(L) / (mu * root)


def seven_inverted(tau: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(tau, EFL's row of Table 1 or more) at the accuracy that (7) has after tau rounds; E = 1, all clients, r = 0.

    L = G = S = 1, sigma = D = 0, theta = 2, Delta_0 = 1: gamma = 96/mu, C = gamma^2 + 512 tau/mu^2. L/(mu sqrt(eps)) is
    replaced by L/mu max(1, 1/eps), which is no less.
    """
    gamma = 96 / Fraction(mu)
    eps = (gamma**2 + 512 * tau / Fraction(mu) ** 2) / (tau + gamma) ** 2
    return Fraction(tau), 1 / (mu * eps) + max(Fraction(1), 1 / eps) / mu


_PLAIN = {"G": (Fraction(1, 10), 1, 10), "L": (1,), "mu": (Fraction(1, 10),), "S": (10,)}
_DELTA = {**_PLAIN, "delta": (Fraction(1, 10), 2)}


def _fixed(at: Any, kind: Any = "upper", fixed: Any = None) -> Order:
    chosen = fixed or _PLAIN
    family = OrderFamily("all constants fixed", at, {"root": 1 / n}, chosen, degree=2)
    return Order(kind, (family,), "root", may_depend_on=tuple(chosen))


def _uniform() -> Order:
    rest = {"G": (1,), "mu": (1,), "S": (1,)}
    family = OrderFamily("L = 1/ε", efl_scaffold, {"root": 1 / n, "L": n**2}, rest, degree=3)
    return Order("upper", (family,), "root", uniform_in=("L",), may_depend_on=("G", "mu", "S"))


def _inverted() -> Order:
    why = (
        "with mu = 1/n and tau = n⁴: where eps <= 1 the quotient is n³eps/2 >= 256 n⁷/(n³ + 96)² >= n/8, "
        "where eps > 1 it is at least n³/2"
    )
    family = OrderFamily("mu = 1/n, tau = n⁴", seven_inverted, {"tau": n**4, "mu": 1 / n}, form=n / 8, because=why)
    return Order("upper", (family,), "tau", uniform_in=("mu",))


def rates(x: Any) -> dict[str, Any]:
    """The rows of Table 1 with constants 1, over MIME's and SCAFFOLD's; delta in units of L."""
    G, L, root = x["G"], x["L"], x["root"]
    mu = L / x["condition"]
    first = G * G / (mu * x["S"] * root * root)
    ours = first + L / (mu * root)
    over = {"over_scaffold": ours / (first + G / (mu * root) + L / mu)}
    return {**over, "over_mime": ours / (first + x["delta_share"] * L / mu), "L": L, "G": G}


def rates_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same for constants that one federation may have."""
    return {
        "mu <= L": x["condition"] >= 1,
        "delta <= 2 L": x["delta_share"] <= 2,
        "eps <= 1": 0 < x["root"] <= 1,
    }, rates(x)


def _constants(S: float) -> Case:
    """Constants of one federation with at most S participants a round."""
    space = Space(
        (
            LogScale("G", 1e-3, 1e3, at=(1.0,)),
            LogScale("L", 1e-3, 1e3, at=(1.0,)),
            LogScale("condition", 1.0, 1e4, at=(1.0,)),
            LogScale("root", 1e-4, 1.0, at=(1e-4, 1.0)),
            LogScale("delta_share", 1e-3, 2.0, at=(2.0,)),
            Integer("S", 1, int(S)),
        )
    )
    return case(f"constants, S <= {int(S)}", space, rates, rates_exact, uses=(rates,))


_WORLD = World(NOTATION, (Family("constants", (Size("S", 2, 300, 10),), _constants),))
_AT_MOST = le(over_scaffold, 1)


P23 = remark(
    "EFL-P23",
    "Sec. 3.2, Table 1",
    "Tighter than SCAFFOLD and MIME",
    printed=r"\text{«The proposed EFL algorithm achieves a tighter bound than methods that assume μ-strongly convex»}",
    plainly="EFL's printed number of rounds is at most that of SCAFFOLD and of MIME.",
    assumes=["order expressions compared as printed, constants 1", "δ <= 2L, since δ bounds differences of Hessians"],
    says=Relation(lambda: _rates(_POINTS, ("SCAFFOLD", "MIME"))),
    readings=[
        reading(
            "for all constants",
            "At every point of a grid of G, δ and ε, with L = 1.",
            because="against MIME it fails at every ε < 1/4, since δ <= 2L; against SCAFFOLD where G < L(1 − √ε)",
        ),
        reading(
            "for small ε, one method at least at each point",
            "Charitable: ε = 0.0001, and only the looser of the two has to be beaten.",
            Relation(
                lambda: tuple(
                    Comparison(
                        a.says + " or MIME's", a.left, "<=", f"Max({a.right}, {b.right})", {**a.cells, **b.cells}
                    )
                    for a, b in zip(_rates(_SMALL, ("SCAFFOLD",)), _rates(_SMALL, ("MIME",)), strict=True)
                )
            ),
            ours="one of the two methods where the print says «methods»: less than the print, false too",
        ),
        reading(
            "no larger order for small ε",
            "Most charitable: «tighter» as «not of larger order» (EFL-TAB1): at ε = 10⁻⁸ at most twice either rate.",
            Relation(lambda: _rates(_TINY, ("SCAFFOLD", "MIME"), times=2)),
            ours="«not of larger order» is less than «tighter»: it is true of equal bounds, and both ways round",
        ),
    ],
    mutants=[
        mutant(
            "at most twice MIME's rate at ε = 0.0001",
            Relation(lambda: _rates(_SMALL, ("MIME",), times=2)),
            "for a small G the first term is less than EFL's other one",
        ),
        mutant(
            "tighter than MIME at δ = 0.1",
            Relation(lambda: _rates(tuple(p for p in _POINTS if p["delta"] == "0.1"), ("MIME",))),
            "L/√ε exceeds δ there, and the other term is the same",
        ),
    ],
    repeats="EFL-TAB1",
    verdict="""The first terms agree. What remains is L/(μ√ε) for EFL against G/(μ√ε) + L/μ for SCAFFOLD and δ/μ for
        MIME. Since δ is at most 2L, MIME's is the smaller for every ε below 1/4. SCAFFOLD's is larger exactly when G >=
        L(1 − √ε); with G = 0.1 and L = 1 EFL's printed bound is the loosest of all three. For ε → 0 the equal first
        term dominates, so EFL's is not of larger order than the others; but of no smaller one, either (EFL-TAB1).""",
)

P24 = remark(
    "EFL-P24",
    "Sec. 4.1, after Corollary 1",
    "More local epochs, lower threshold",
    printed=r"\text{«the more epochs the training on the local client, the more sensitive it is to the in-activeness»}",
    plainly="The threshold C/(JTE) of eq. (9) falls as the number E of local epochs grows.",
    assumes=["y^a > C/(JTE) with the hidden constant 1", "J and T fixed"],
    says=Relation(lambda: _threshold(varying=False)),
    open={
        "C": twice("(9) has a constant C (Cτ ≈ τC); the display of Sec. 4.2 prints how it grows with E: like E⁵ + E²")
    },
    readings=[
        reading("C fixed", "C does not depend on E.", options={"C": "a constant, as (9) writes it"}),
        reading(
            "C as in Sec. 4.2",
            "C grows like E⁵ + E², as the display of Sec. 4.2 prints it.",
            Relation(lambda: _threshold(varying=True)),
            options={"C": "growing with E, as Sec. 4.2 prints it"},
        ),
    ],
    mutants=[mutant("threshold rising", Relation(lambda: reverse(_threshold(varying=False))), "1/E falls as E grows")],
    verdict="""With C fixed the threshold is proportional to 1/E and the sentence follows. But C depends on E: the
        display of Sec. 4.2 has E⁵ in its place, and then the threshold grows with E. The paper does not say what is
        held fixed.""",
)

TAB1 = remark(
    "EFL-TAB1",
    "Table 1, Sec. 3.2",
    "Rates of Table 1",
    printed=r"""\text{EFL: }\frac{G^2}{\mu S\epsilon}+\frac L{\mu\sqrt\epsilon},\quad\text{SCAFFOLD: }
        \frac{G^2}{\mu S\epsilon}+\frac G{\mu\sqrt\epsilon}+\frac L\mu,\quad\text{MIME: }\frac{G^2}{\mu S\epsilon}+
        \frac\delta\mu""",
    plainly="""EFL's rate follows from Theorem 1, keeps SCAFFOLD's first term and is tighter than those that assume
        strong convexity.""",
    assumes=["rates as printed, constants 1; ε the accuracy, S the participants of a round", "δ <= 2L"],
    says=_fixed(efl_scaffold),
    open={
        "tighter": nowhere("""«tighter bound»: of smaller order as ε → 0, or smaller as a formula in all the constants
            that the rows print""")
    },
    readings=[
        reading(
            "no larger order than SCAFFOLD",
            "ε → 0, all else fixed.",
            part="«preserves the optimal statistical rates»",
            because="as ε → 0 the common first term decides",
        ),
        reading(
            "no larger order than MIME",
            "ε → 0, all else fixed.",
            _fixed(efl_mime, fixed=_DELTA),
            part="the same first term as MIME",
        ),
        reading(
            "smaller order than SCAFFOLD",
            "«tighter»: the quotient of the rates tends to 0.",
            _fixed(efl_scaffold, "faster"),
            part="«tighter»",
            options={"tighter": "of smaller order as ε → 0"},
        ),
        reading(
            "no larger order than SCAFFOLD, whatever L",
            "The constant may depend on no parameter.",
            _uniform(),
            part="«tighter»",
            options={"tighter": "as a formula in all the constants, up to a factor"},
        ),
        reading(
            "the row follows from Theorem 1",
            """Rounds after which (7) with EFL-T1-R reaches ε, against the row; full participation, E = 1, no noise,
                constants alike.""",
            _inverted(),
            part="the row follows from Theorem 1",
            ours="""the paper does not say that the row is read off (7); C, and ε as a squared distance, are ours, and
                (7) with them is an upper bound""",
        ),
        reading(
            "at most SCAFFOLD's rate for G >= L",
            "As formulas, any ε <= 1.",
            _AT_MOST,
            where=[le(L, G)],
            world=_WORLD,
            part="«tighter»",
            options={"tighter": "as a formula in all the constants, up to a factor"},
            conditions=["G >= L"],
            because="against SCAFFOLD alone; no setting of the paper prints G and L",
        ),
    ],
    mutants=[
        mutant(
            "at most SCAFFOLD's for all G",
            _AT_MOST,
            "for G → 0 and √ε < 1 what is left is L/√ε against L",
            at(G=1, L=2, condition=1, root="1/10", delta_share=1, S=1),
            world=_WORLD,
        ),
        mutant(
            "at most MIME's",
            le(over_mime, 1),
            "δ <= 2L, so δ < L/√ε for ε < 1/4",
            at(G=1, L=1, condition=1, root=1, delta_share="1/2", S=1),
            world=_WORLD,
        ),
        mutant("EFL's second term dominates", _fixed(efl_first), "1/ε grows faster than 1/√ε"),
    ],
    tight=[
        "ε → 0 for SCAFFOLD's rate: what is left is the first term, which is the same",
        at(G=1, L=1, condition=1, root="1/100", delta_share=1, S=1),
    ],
    rests_on=["EFL-T1", "EFL-T1-R"],
    verdict="""As ε → 0 with everything else fixed all three rates are the same first term, so none is of smaller order.
        In what remains, EFL's L/(μ√ε) is below SCAFFOLD's G/(μ√ε) + L/μ exactly when G >= L(1 − √ε), and above MIME's
        δ/μ for every ε < 1/4, since δ <= 2L; the words «tighter bound» are not what the table shows. Nor does the
        row follow from Theorem 1 as reconstructed: there the rounds to ε grow like G²/(μ²ε), a factor 1/μ more than the
        row, even without noise and with ε a squared distance, and no S appears.""",
)

CLAIMS: tuple[Claim, ...] = (
    P23,
    P24,
    TAB1,
)
