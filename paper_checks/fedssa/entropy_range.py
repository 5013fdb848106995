"""SSA-LP3: between which values the weight entropy lies, and where it is smallest."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    EXACT,
    exp_fixed,
    flag,
    log_near,
    missed,
    slack,
)
from theory.ssa import loss_we
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Property,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
K, inv_e = symbols("K inv_e")
_PURE = dict.fromkeys(("K", "inv_e"), (0, 0))


def _entropy(x: Instance) -> Mapping[str, Any]:
    """By how much L_we leaves [−log K, 0]."""
    w = x["weights"]
    loss = loss_we(w)
    return missed(np.maximum(-np.log(w.shape[1]) - loss, loss))


def entropy_exact(x: Mapping[str, Any]) -> Checked:
    """max(-log K - L_we, L_we)."""
    w = x["weights"]
    loss = sum((a * log_near(a) for a in w if a > 0), Fraction(0))
    met = {"weights >= 0": min(w) >= 0, "sum 1 (unless free)": "free" in x or sum(w) == 1}
    top = loss if "free" not in x else -1 - len(w)
    return met, {"lhs": max(-log_near(Fraction(len(w))) - loss, top) - slack()}


def _entropy_free(x: Instance) -> Mapping[str, Any]:
    """By how much L_we falls below −log K on the positive orthant."""
    return missed(-np.log(x["weights"].shape[1]) - loss_we(x["weights"]))


def _orthant(x: Instance) -> Mapping[str, Any]:
    """−L_we on the positive orthant, in units of what equal weights 1/e give."""
    n = float(x["weights"].shape[1])
    size = np.abs(x["weights"] * np.log(x["weights"])).sum(axis=1)
    return {
        "lhs": -loss_we(x["weights"]),
        "K": np.full(len(size), n),
        "inv_e": np.full(len(size), np.exp(-1.0)),
        "magnitude": size + n,
    }


def orthant_exact(x: Mapping[str, Any]) -> Checked:
    """-L_we, K and 1/e."""
    w = x["weights"]
    inverse = Fraction(exp_fixed(Fraction(-1)) + 2**60, 1 << 320)
    loss = sum((a * log_near(a) for a in w), Fraction(0))
    return {"weights > 0": min(w) > 0}, {"lhs": -loss - slack(), "K": Fraction(len(w)), "inv_e": inverse}


def _small(x: Instance) -> Mapping[str, Any]:
    """λ_we·log K − λ_var·(c − 1)/c²: the whole range of one term against the other's."""
    n, classes = x["K"], x["classes"]
    return missed(x["lambda_we"] * np.log(n) - x["lambda_var"] * (classes - 1) / classes**2)


def small_exact(x: Mapping[str, Any]) -> Checked:
    """lambda_we log K - lambda_var (c - 1)/c^2."""
    n, classes = Fraction(x["K"]), Fraction(x["classes"])
    gain = x["lambda_we"] * log_near(n) - x["lambda_var"] * (classes - 1) / classes**2
    return {"at least one client, two classes": n >= 1 and classes >= 2}, {"lhs": gain}


def again_orthant(K: Any, inv_e: Any) -> Any:
    """K/e once more."""
    return inv_e * K


def _weights(name: str, measure: Any, exact: Any, *more: Choice, positive: bool = False) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = LogScale("weights", 1e-6, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n)
        same = (permuted_clients({"weights": 0}),)
        checked = ExactCheck(exact, EXACT)
        return Case(
            f"{name}, {n} weights", Space((drawn, *more)), measure, checked, cost=max(1.0, n / 40), symmetries=same
        )

    return Family(name, (Size("K", 1, 300, 3),), at)


def _printed(*lambdas: float) -> Case:
    drawn = Space(
        (
            Choice("K", (5.0, 10.0, 20.0, 30.0, 50.0)),
            Choice("classes", (10.0, 100.0)),
            Choice("lambda_we", lambdas),
            Choice("lambda_var", (1.0,)),
        )
    )
    return Case("settings of Sec. 5 and Appendix C", drawn, _small, ExactCheck(small_exact, EXACT))


_FREE = _weights("positive weights", _entropy_free, entropy_exact, flag("free"), positive=True)

LP3 = stated(
    r"""SSA-LP3 (remark; Sec. 4.2, eq. (7); λs of Sec. 5.1): Range and minimiser of L_we
    Print: -\log K\le\sum_kw_k\log w_k\le0\text{ on the simplex},\quad\sum_kw_k\log w_k\ge-\frac Ke\text{ for }w>0
    Plainly: On the simplex L_we lies between −log K (equal weights) and 0 (one client); on the orthant its least is
      −K/e.
    Assumes: 0 log 0 = 0 | weights on the simplex unless said otherwise
    Reading: on the simplex | Between −log K and 0. | part: on the simplex
    Reading: on the positive orthant | Without a fixed sum the least value is −K/e, at w_k = 1/e for every client. |
      part: on the positive orthant
    Reading: smaller than the other terms | With λ_we = 10⁻³ and λ_var = 1 its whole range is smaller than that of
      L_var, for every K and c used. | part: smaller than the other terms
    Mutant: −log K without the simplex | weights 1/e give −K/e < −log K
    Mutant: λ_we = 10⁻² smaller too | 10⁻²·log 50 = 0.039 exceeds (c − 1)/c² = 0.0099 at c = 100
    Tight: equal weights; one client; w_k = 1/e
    Rests on: SSA-E07
    Verdict: On the simplex −L_we is the Shannon entropy, so equal weights are its minimiser and a single client its
      maximum. That needs the simplex, which the paper does not impose in (2): on the positive orthant the least value
      is at 1/e for each client, whose sum is K/e, and for a negative weight the loss has no real value. At the
      paper's λ_we the term ranges over 0.0016 for five clients, against 0.09 for L_var and 1 for L_cos.""",
    Property((_weights("weights", _entropy, entropy_exact),)),
    readings={
        "on the positive orthant": Inequality(
            Bound(K * inv_e, again=again_orthant, degrees=_PURE),
            (_weights("positive weights", _orthant, orthant_exact, positive=True),),
            degrees=(0, 0),
        ),
        "smaller than the other terms": Property((_printed(1e-3),)),
    },
    mutants={
        "−log K without the simplex": Property((_FREE.at(K=2), _FREE.at(K=3))),
        "λ_we = 10⁻² smaller too": Property((_printed(1e-2),)),
    },
)

CLAIMS: tuple[Claim, ...] = (LP3,)
