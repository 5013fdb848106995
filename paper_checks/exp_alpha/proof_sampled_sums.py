"""EA-E27e, f, g: the last display of Lemma 5's proof, from the sum of a round's gradients to E times G²."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.exp_alpha.local_path import DEGREES, path_exact, path_inequality
from paper_checks.exp_alpha.proof_sampling import sampling_step
from validation import Bound, Canary, Claim, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, scaled2, total, G2, E = symbols("eta scaled2 total G2 E")


def moved_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: E |sum eta_j g_j|^2."""
    met, c = path_exact(x)
    return met, {**c, "lhs": c["moved2"]}


def scaled_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: sum eta_j^2 E |g_j|^2."""
    met, c = path_exact(x)
    return met, {**c, "lhs": c["scaled2"]}


def total_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: sum E |g_j|^2."""
    met, c = path_exact(x)
    return met, {**c, "lhs": c["total"]}


def apart_again(scaled2: Any) -> Any:
    """ΣE‖η∇f‖², as measured."""
    return 1 * scaled2


def times_again(E: Any, scaled2: Any) -> Any:
    """E·ΣE‖η∇f‖², once more."""
    return scaled2 * E


def twice_again(eta: Any, total: Any) -> Any:
    """4ηₜ²ΣE‖∇f‖², once more."""
    return total * (2 * eta) ** 2


def every_again(E: Any, G2: Any) -> Any:
    """EG², once more."""
    return G2 * E


def _moved(expression: Any, again: Any = None) -> Inequality:
    bound = Bound(expression, again=again, degrees=DEGREES)
    return path_inequality(bound, lambda c: c["moved2"], moved_exact, (0, 2), whole=True)


def _scaled(expression: Any, again: Any = None) -> Inequality:
    bound = Bound(expression, again=again, degrees=DEGREES)
    return path_inequality(bound, lambda c: c["scaled2"], scaled_exact, (0, 2), whole=True)


def _total(expression: Any, again: Any = None) -> Inequality:
    bound = Bound(expression, again=again, degrees=DEGREES)
    return path_inequality(bound, lambda c: c["total"], total_exact, (2, -2), whole=True)


_ROUND = ("A4: E‖∇fᵢ‖² <= G² at every model visited", "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t")

E27E = sampling_step(
    "EA-E27e",
    Kind.INEQUALITY,
    "Squared norm of the sum of a round's gradients",
    (
        r"\mathbb E\Big\|\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\Big\|^2\le"
        r"\sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
    ),
    "The mean square of a round's update is at most the sum of the mean squares of its steps.",
    _ROUND,
    (
        Reading("as printed", "One client on the line, exact second moments.", _moved(scaled2, apart_again)),
        Reading("a factor E", "Cauchy–Schwarz over the steps.", _moved(E * scaled2, times_again), repair="edit"),
    ),
    (
        Canary(
            "E − 1 in place of E",
            _moved((E - 1) * scaled2),
            "with the factor E nearly constant gradients give equality",
        ),
        Canary("a factor 2", _moved(2 * scaled2), "three nearly equal gradients give three times the sum"),
    ),
    tight="with the factor E: gradients that hardly change over the round",
    depends_on=("EA-E27d",),
    verdict_words=(
        "The same slip as in (24): the squared norm of a sum of E vectors is bounded by the sum of squared norms, which is "
        "false as soon as two gradients of a round point the same way, as a client's own do. E = 2 and nearly constant "
        "gradients give twice the right side, larger E the factor E. In EA-E27a the cross terms vanish because the draws are "
        "centred and independent; the gradients of one client's round are neither. With the factor E no violation was found."
    ),
)

E27F = sampling_step(
    "EA-E27f",
    Kind.INEQUALITY,
    "All step sizes below twice the last",
    (
        r"\sum_{j=t_s}^t\mathbb E\|\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2\le"
        r"4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
    ),
    "Each step size of the round is at most twice its last.",
    _ROUND,
    (
        Reading(
            "ηₜ non-increasing",
            "As the lemma has it; η_j <= η_ts <= 2η_ts₊ₑ <= 2ηₜ.",
            _scaled(4 * eta**2 * total, twice_again),
        ),
    ),
    (
        Canary("factor 4 dropped", _scaled(eta**2 * total), "step sizes that fall inside the round"),
        Canary(
            "factor 2 in place of 4",
            _scaled(2 * eta**2 * total),
            "step sizes that halve at the last step: nearly four times the right side's square for large E",
        ),
    ),
    tight="E large, the last step size half of all others",
    depends_on=("EA-S2",),
    verdict_words=(
        "From ηₜ <= 2ηₜ₊ₑ and step sizes that do not grow; each summand is a square, so it can be replaced by itself. Whether "
        "the theorem's own schedule meets the hypothesis is EA-S2's matter."
    ),
)

E27G = sampling_step(
    "EA-E27g",
    Kind.INEQUALITY,
    "E gradients of at most G²",
    (
        r"\frac1K\sum_i\rho_i^{t+1}4\eta_t^2\sum_{j=t_s}^t\mathbb E\|\nabla f_i(\mathbf W_i^j;\xi_i^j)\|^2"
        r"\le\frac4K\eta_t^2EG^2"
    ),
    "A round has E gradients, each of mean square at most G².",
    _ROUND,
    (
        Reading(
            "one client",
            "The factors 4ηₜ²/K, on both sides, left out; for weights that sum to one the mean over clients follows.",
            _total(E * G2, every_again),
        ),
    ),
    (
        Canary("E − 1 in place of E", _total((E - 1) * G2), "the sum from t_s to t has E terms"),
        Canary("E dropped", _total(1 * G2), "E nearly constant gradients give E times the right side"),
    ),
    tight="gradients of one size",
    depends_on=("EA-A4",),
    verdict_words="A sum of E numbers of at most G² each, and weights that sum to one.",
)

CLAIMS: tuple[Claim, ...] = (E27E, E27F, E27G)
