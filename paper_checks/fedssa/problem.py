"""Sec. 3, (1) and (2): the target problem and the weight problem."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.settings import TUNED
from paper_checks.fedssa.views import of_views
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, symbols
from validation.world import World, at, case, definition, identity, le, mutant, reading

__all__ = ["CLAIMS"]

accuracy, best, another, rounding, lambda_we = NOTATION.symbols("accuracy best another rounding lambda_we")


def thresholds(x: Instance) -> Mapping[str, Any]:
    """Accuracy of the aggregated threshold, of the best of those at the samples and below all, and of one beside that."""
    at, label = x["samples"], x["label"] >= 0.5
    theta = (x["weights"] * x["local"]).sum(axis=1)[:, None]
    candidates = np.concatenate([at.min(axis=1, keepdims=True) - 1, at], axis=1)
    right = ((at[:, None] > candidates[:, :, None]) == label[:, None]).mean(axis=2)
    chosen = np.take_along_axis(candidates, right.argmax(axis=1)[:, None], axis=1)
    above = np.where(at > chosen, at, np.inf).min(axis=1, keepdims=True)  # the next sample, if there is one
    beside = np.where(np.isfinite(above), (chosen + above) / 2, chosen + 1)
    found = {"best": right.max(axis=1), "samples": np.full(len(at), float(at.shape[1])), "magnitude": np.ones(len(at))}
    return found | {n: ((at > t) == label).mean(axis=1) for n, t in (("accuracy", theta), ("another", beside))}


def thresholds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same with counts."""
    at, label = x["samples"], [v >= Fraction(1, 2) for v in x["label"]]

    def accuracy(theta: Any) -> Any:
        return Fraction(sum((a > theta) == b for a, b in zip(at, label, strict=True)), len(at))

    best = max([min(at) - 1, *at], key=accuracy)
    above = [a for a in at if a > best]
    beside = (best + min(above)) / 2 if above else best + 1
    theta = sum(w * v for w, v in zip(x["weights"], x["local"], strict=True))
    met = {"weights on the simplex": sum(x["weights"]) == 1, "another model": beside != best}
    found = {"accuracy": accuracy(theta), "best": accuracy(best), "another": accuracy(beside)}
    return met, {**found, "samples": Fraction(len(at))}


def _thresholds(K: float, samples: float) -> Case:
    drawn = (
        Signed("samples", 1e-2, 1e1, (int(samples),)),
        Uniform("label", 0.0, 1.0, (int(samples),)),
        Simplex("weights", int(K)),
        Signed("local", 1e-2, 1e1, (int(K),)),
    )
    name, cost = f"{int(K)} clients, {int(samples)} samples", max(1.0, samples**2 / 1000)
    return case(name, Space(drawn), thresholds, thresholds_exact, cost=cost)


w, theta, samples = symbols("w theta samples", positive=True)
E01 = definition(
    "SSA-E01",
    "Eq. (1), Section 3",
    "The target problem",
    printed=r"\theta^*=\arg\max_\theta P(\mathcal D_T,\theta)\quad\text{s.t.}\quad\theta=\sum_k^K\theta_kw_k",
    plainly="θ* is the model of the best performance on the target data among the weighted means of local models.",
    assumes=["P is the accuracy on finitely many samples"],
    says=le(accuracy - best, 0),
    world=World(NOTATION, (Family("thresholds", (Size("K", 1, 30, 2), Size("samples", 1, 30, 4)), _thresholds),)),
    readings=[
        reading(
            "a best model exists",
            """Accuracy of threshold classifiers on finitely many samples: no aggregated model beats the best of
                finitely many.""",
            part="a best model exists",
        ),
        reading(
            "the constraint",
            "With the θ_k variable, θ_k = θ and weights of sum one reach every model.",
            identity(w * theta + (1 - w) * theta, theta),
            part="the constraint",
        ),
    ],
    mutants=[
        mutant(
            "only one model attains it",
            le(another - best + 1 / (2 * NOTATION.symbols("samples")), 0),
            "accuracy is constant between two samples, so a whole interval of thresholds attains it",
            at(samples=[0, 0], label=[0, 0], weights=[1], local=[0]),
            world=World(NOTATION, (_thresholds(1, 2),)),
        )
    ],
    verdict="""Accuracy takes finitely many values, so a maximiser exists; it is never unique, and θ* is one of many. As
        the θ_k are variables, too, the constraint excludes no model: (1) asks for the best model of all.""",
)


def _loss(at: str, by: Any = 0) -> Any:
    """L_SSA at a place, λ_var = 1."""
    cos, var, we = NOTATION.symbols(f"cos_{at} var_{at} we_{at}")
    return cos + var + by * we


_MORE = (1 + lambda_we) * rounding
_SHAPES = ((2, 2, 1), (3, 3, 2), (10, 10, 5), (300, 2, 1))
_LARGE = le(Rational(1, 1000), lambda_we)
_HEAVY = {"more": (LogScale("lambda_we", 1e-3, 1e1, at=(1e-3,)),)}
E02 = definition(
    "SSA-E02",
    "Eq. (2), Section 3",
    "The weight problem",
    printed=r"""\{w_k\}=\arg\min_{\{w_k\}}\mathcal L_{SSA}(\{\theta_k\},\{w_k\};\mathcal U),\quad\text{s.t. }\theta=
        \sum_k\theta_kw_k""",
    plainly="There are weights of the smallest L_SSA.",
    assumes=["finite logits", "λ_var = 1"],
    says=of_views(le(_loss("same") - _loss("doubled_same"), rounding), at=((1, 2, 1),)),
    readings=[
        reading(
            "as printed, λ_we = 0",
            "Which the paper allows, any weights: none is made better by doubling all of them. Equal views.",
            part="a minimiser exists",
            cuts={"lambda_we": "0"},
            met_by=TUNED,
            because="λ_we = 0 with λ_var > 0 is in the grid of Tables 7 and 8, and (2) restricts no weights",
        ),
        reading(
            "non-negative weights, λ_we >= 10⁻³",
            """No sum is stated; λ_we >= 10⁻³: from a weight of 1000 on doubling all raises L_SSA, so the smallest is not at
                infinity.""",
            of_views(le(_loss("heavy", lambda_we) - _loss("heavier", lambda_we), _MORE), _LARGE, at=_SHAPES, **_HEAVY),
            part="a minimiser exists",
            because="log w_k in (7) asks for w_k >= 0; λ_we = 10⁻³ is Sec. 5.1's",
        ),
        reading(
            "on the simplex, λ_we > 0",
            """Beside it, not printed at (2): sharing the weight of two clients with the same logits equally never
                raises L_SSA.""",
            of_views(le(_loss("even_twins", lambda_we) - _loss("twins", lambda_we), _MORE), at=_SHAPES),
            part="clients that predict alike",
            conditions=["w on the simplex"],
        ),
    ],
    mutants=[
        mutant(
            "entropy with the other sign",
            of_views(le(_loss("even_twins", -lambda_we) - _loss("twins", -lambda_we), _MORE), at=((2, 2, 1),)),
            "the first two losses do not change, and −Σw log w rises when the twins share equally",
        ),
        mutant(
            "doubling raises L_SSA from light weights, too",
            of_views(
                le(_loss("light", lambda_we) - _loss("lighter", lambda_we), _MORE),
                _LARGE,
                at=((1, 2, 1),),
                positive=True,
                **_HEAVY,
            ),
            "below w = 1/(4e) w·log w falls when w doubles, and sharper outputs have more variance",
        ),
    ],
    rests_on=["SSA-E04", "SSA-E08"],
    verdict="""A minimiser exists under a condition that is not printed: λ_we > 0 (or weights on the simplex); λ_we =
        10⁻³ of Sec. 5.1 meets it. The only constraint printed is θ = Σθ_kw_k, which restricts no weights. With λ_we =
        0, in the grid of Tables 7 and 8, there need not be a minimiser: where the views agree and there is one client whose logits differ, doubling its weight lowers L_var at any weight. With λ_we > 0 the logarithm asks for w_k >= 0, L_we grows faster than the weights, and a minimiser exists, of whatever sum; the smaller λ_we is, the larger it may be, and searched was λ_we >= 10⁻³. On the simplex one exists for any λ, and with λ_we > 0 it treats
        clients that predict alike alike. What (2) minimises is the loss of the mixed logits (4), not that of the model
        θ, unless the model is linear in its parameters (SSA-E03).""",
)

CLAIMS: tuple[Claim, ...] = (E01, E02)
