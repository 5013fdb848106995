"""FA-R3, FA-R4, FA-R7 and FA-R9: speed, limits and diversity along runs, with the step sizes of the theorems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper_checks.fedaware.first_bounds import higher_bound
from paper_checks.fedaware.hulls import Checked
from paper_checks.fedaware.line_runs_old import missed
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Relation,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

rest, eta, Psi = symbols("rest eta Psi")
_SETTING = "strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK)"


def _bounds(x: Instance) -> Mapping[str, Any]:
    """The right side of Corollary 4.1 with Ψ̃ = `share`·Ψ."""
    share = x["share"] * 2 if "any" in x else x["share"]
    return {"lhs": x["rest"] + x["eta"] * share * x["Psi"], "rest": x["rest"], "eta": x["eta"], "Psi": x["Psi"]}


def bounds_exact(x: Mapping[str, Any]) -> Checked:
    """rest + eta Psi~ with Psi~ <= Psi."""
    share = x["share"]
    met = {"0 <= Psi~ <= Psi": 0 <= share <= 1, "positive": min(x["rest"], x["eta"], x["Psi"]) > 0}
    return met, {"lhs": x["rest"] + x["eta"] * share * x["Psi"], "rest": x["rest"], "eta": x["eta"], "Psi": x["Psi"]}


def more_exact(x: Mapping[str, Any]) -> Checked:
    """The same with Psi~ up to 2 Psi."""
    share = 2 * x["share"]
    met = {"positive": min(x["rest"], x["eta"], x["Psi"]) > 0, "0 <= share <= 2": 0 <= share <= 2}
    return met, {"lhs": x["rest"] + x["eta"] * share * x["Psi"], "rest": x["rest"], "eta": x["eta"], "Psi": x["Psi"]}


def _more(x: Instance) -> Mapping[str, Any]:
    return _bounds({**x, "any": np.ones(1)})


_NUMBERS = tuple(LogScale(name, 1e-3, 1e3) for name in ("rest", "eta", "Psi"))
_SPACE = Space((*_NUMBERS, Uniform("share", 0.0, 1.0)))
_RIGHT = Bound(rest + eta * Psi, lambda rest, eta, Psi: Psi * eta + rest)
_LOWER = Inequality(_RIGHT, (Case("Ψ̃ <= Ψ", _SPACE, _bounds, ExactCheck(bounds_exact)),))
_HIGHER = Inequality(_RIGHT, (Case("Ψ̃ <= 2Ψ", _SPACE, _more, ExactCheck(more_exact)),))

R3 = Claim(
    id="FA-R3",
    kind=Kind.PROPERTY,
    source="§4.2, after Corollary 4.1",
    title="Lower consensus dynamics, faster convergence",
    statement=r"\tilde\Psi<\Psi\ \Rightarrow\ \min_{t\le T}\|\nabla f(x^t(\tilde\lambda))\|^2\le\min_{t\le T}\|\nabla f(x^t(\lambda))\|^2",
    says="Weights that induce lower client consensus dynamics accelerate the convergence.",
    assumes=(_SETTING, "fixed weights λ̃ against the objective's λ, same start and steps"),
    readings=(
        Reading("the run, by Ψ̃ of Corollary 4.1", "Ψ̃(λ̃) < Ψ(λ), with the factor χ².", missed(4)),
        Reading("the run, by the norm applied", "The mean of ρᵗ(λ̃) is below that of ρᵗ(λ).", missed(5)),
        Reading("the bound", "The right side of Corollary 4.1 is smaller than that of Theorem 4.2.", _LOWER),
    ),
    canaries=(Canary("the bound, whatever Ψ̃", _HIGHER, "a larger Ψ̃ makes the right side larger"),),
    tight=None,
    depends_on=("FA-T4.2", "FA-C4.1"),
    verdict_words=(
        "For the bounds it is true, for runs it is not; which of the two «accelerates the FL convergence» speaks of "
        "is not printed. The right side of Corollary 4.1 increases in Ψ̃, which is all that the comparison of bounds "
        "says. For runs both measures of the passage fail, Ψ̃ and the norm applied. ρ is the square of the step "
        "taken, so a small ρ means small steps. Weights that sit on one client let the model settle at that client's "
        "minimum, where ρ vanishes and ∇f does not. Close to λ the factor χ² makes Ψ̃ as small as one likes without "
        "any change of speed; at λ̃ = λ it is 0 whatever the run does."
    ),
)

R4 = Claim(
    id="FA-R4",
    kind=Kind.PROPERTY,
    source="§4.2, «Convergence of FedAWARE»",
    title="FedAWARE converges faster than FedAvg",
    statement=r"\alpha=1,\ S^t=[N]:\quad\min_{t\le T}\|\nabla f(x^t_{\text{FedAWARE}})\|^2\le\min_{t\le T}\|\nabla f(x^t_{\text{FedAvg}})\|^2",
    says="With fresh updates of all clients FedAWARE converges faster than FedAvg on heterogeneous clients.",
    assumes=(_SETTING, "α = 1, everyone takes part", "same start, same η_l and η_g"),
    readings=(
        Reading("in the gradient of f", "The quantity of the theorems, after any T.", missed(1)),
        Reading("in the loss f", "f(x^T) − f*, after any T.", missed(2)),
        Reading("in the gradient, one common minimum", "Clients that differ in curvature only.", missed(1, "common")),
        Reading(
            "the bound, in the first round",
            "The right side of Corollary 4.1 is no larger than that of Theorem 4.2: χ²ρ⁰(λ̃) <= ρ⁰(λ) at weights of "
            "smallest norm, equal shares λ.",
            higher_bound(),
        ),
    ),
    canaries=(
        Canary(
            "faster than FedAvg with twice the server step",
            missed(1, "double"),
            "for identical clients FedAWARE is FedAvg, which short steps make faster with each doubling",
        ),
        Canary(
            "the shorter step never shorter",
            higher_bound("plain"),
            "the mean of updates of one sign is longer than the shortest of them",
        ),
    ),
    tight="identical clients, where the two are the same",
    depends_on=("FA-C4.1", "FA-MN12"),
    verdict_words=(
        "It need not be faster, and in general ends elsewhere. The shortest point of the hull is never longer than the mean, so at "
        "the same model FedAWARE takes the shorter step. On the line with a common minimum it follows the flattest client "
        "and is never faster. In the plane it may be: with Hessians diag(1, 1/100) and diag(1/100, 1), λ = (99/100, 1/100) and "
        "η = 1/24 it is behind after 100 rounds and far ahead after 300, where FedAvg still waits for the client of small share. "
        "With minima of their own, the model stops at the first point of the hull of the local minima (more generally: as soon as "
        "it is Pareto stationary), while FedAvg with K = 1 goes on to the minimum of f. Nor does Corollary 4.1 say it: "
        "at updates 1, 1.1 and 1.1 with equal shares χ² is 2, and χ²ρ(λ̃) = 2 against ρ(λ) = 1.14. What FedAWARE does have is FA-MN17: no client gets worse."
    ),
)

R7 = Claim(
    id="FA-R7",
    kind=Kind.PROPERTY,
    source="§4.3, «FL is a process of enlarging LUD»",
    title="Diversity grows during training",
    statement=r"\delta_D^{t+1}\ge\delta_D^t",
    says="The diversity of the updates increases during training, since the consensus falls faster than the updates.",
    assumes=(_SETTING, "FedAvg with everyone present; any start, near or far"),
    readings=(
        Reading("in every round", "From one round to the next.", missed(6)),
        Reading("over the run", "From the first round to the last.", missed(7)),
        Reading(
            "in every round, equal curvatures",
            "Clients that differ in their minima only.",
            missed(6, "alike"),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "falls in every round, equal curvatures",
            missed(9, "alike"),
            "δ² is then 1 plus a constant over (x − x*)², and x approaches x*",
        ),
    ),
    tight="one common minimum and equal curvatures, where it is constant",
    depends_on=("FA-D4.1", "FA-PR4.1"),
    verdict_words=(
        "For clients of equal curvature, which differ in their minima only, it grows in every round; with unequal "
        "curvatures it need not. Clients with minima of their own are the heterogeneity that the passage names, «at "
        "the local optimums». With equal curvatures δ² is 1 plus a constant over the squared distance to the limit. "
        "Otherwise, coming from the side of the steeper clients, the diversity falls before it rises, and a short "
        "run (five rounds here) may end below its start. Late in a long noiseless run of clients with minima of "
        "their own it always grows, and without bound, because G vanishes and the updates do not. Noise ends that "
        "growth at a plateau."
    ),
)

R9 = Claim(
    id="FA-R9",
    kind=Kind.PROPERTY,
    source="B.2, observation experiments on IID settings",
    title="Lower cumulative consensus for identical clients",
    statement=r"\sum_{t<T}\rho^t_{\text{IID}}\le\sum_{t<T}\rho^t_{\text{non-IID}}",
    says="The cumulative client consensus is lower if all clients have the same objective f.",
    assumes=(
        _SETTING,
        "FedAvg with everyone present",
        "the same f, start and steps in both, which is our formal counterpart",
    ),
    readings=(
        Reading("any K", "Identical clients against clients with the mean f.", missed(8)),
        Reading(
            "K = 1",
            "One local step, where both runs are gradient descent on f.",
            missed(8, most_steps=1),
            repair="condition",
        ),
        Reading(
            "the runs of Figure 8",
            "Dir(1) and Dir(10) against Dir(0.1) and Dir(0.5), which are other objectives, with noise.",
            Relation(
                tuple, needs_run="Figure 8 carries no numbers: the sum of ρᵗ at Dir(0.1), Dir(0.5), Dir(1) and Dir(10)"
            ),
        ),
    ),
    canaries=(
        Canary(
            "common minimum, several steps",
            missed(8, "common"),
            "c = 1 − (1 − ηh)^K is concave in h, so identical clients move further in the first round",
        ),
    ),
    tight="K = 1, always equal",
    depends_on=("FA-PR4.1", "FA-T4.2"),
    verdict_words=(
        "The remark describes Figure 8, deep networks on other data with noise, and only runs decide it. As a law it would be false: "
        "for one local step and the same f the two runs are the same gradient descent, and so are the sums; for several steps the "
        "pull 1 − (1 − ηh)^K of a client is concave in its curvature, so identical clients pull more than clients whose "
        "curvatures average to theirs, ρ starts larger and its sum can be larger."
    ),
)

CLAIMS: tuple[Claim, ...] = (R3, R4)
