"""The options of a run, what they exclude of each other, and which letters are exact under which of them.

Source: McMahan et al. 2017 (FedAvg), Li et al. 2020 (schemes I and II), Karimireddy et al. 2020 (SCAFFOLD), Li et al.
2020b (FedProx), Wang et al. 2020 (FedNova), Reddi et al. 2021 (server rate and momentum).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

__all__ = ["CHOICES", "Options", "refusal"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "weights": ("shares", "a row", "a row a round", "a row a step", "seen"),
    "noise": ("independent", "common", "none"),
    "part": ("all", "by weight", "uniform", "uniform updates", "bernoulli"),
    "steps": ("alike", "own", "own, normalised"),
    "control": ("", "from 0", "from the gradients"),
}
"""The values of each option that is a word; the first is the default.

`weights`: the shares p; one row for the whole run; one a round; one a step, of which the last of a round moves the
model; or "seen": all on a client chosen by the noise of the step, ±σ_i on the first axis: the first client with +σ_i,
the first of all if there is none. `noise`: of mean 0 and E‖n_i‖² = σ_i² at every step, independent over clients or one
common factor for all. `part`: everybody; K clients drawn with replacement by weight, plain mean; K uniformly without
replacement, N/K·Σ of their weighted models, or of their weighted updates; client i present with probability q_i, its
update divided by q_i. `steps`: E local steps for all; each client its own number up to E; the same with updates divided
by that number and multiplied by the mean number. `control`: SCAFFOLD's control variates (option II), which begin at 0
or at the clients' gradients at the start.
"""


@dataclass(frozen=True)
class Options:
    """How a run goes: R rounds of E local steps of size `eta`, a formula of letters and t as Python source.

    `let`: letters that are formulas of others, in order. `server`, `momentum`: rate η and momentum β of the server,
    v ← βv + (Σa_i w_i − w), w ← w + ηv. `prox`: λ of λ/2·‖w_i − w‖² in each client's objective, in units of curvature.
    `short`: how many steps of the last round are not done; the model at the end is then Σa_i w_i there.
    The other options are in `CHOICES`.
    Raises `ValueError` for a choice that is none, for fewer than one step or round, and for options that exclude each
    other.
    """

    E: int
    R: int
    eta: str
    let: tuple[tuple[str, str], ...] = ()
    weights: str = "shares"
    noise: str = "independent"
    part: str = "all"
    server: str = ""
    momentum: str = ""
    prox: str = ""
    steps: str = "alike"
    control: str = ""
    short: int = 0

    def __post_init__(self) -> None:
        if self.E < 1 or self.R < 1:
            raise ValueError(f"Options(E={self.E}, R={self.R}): expected at least one local step and one round")
        if not 0 <= self.short < self.E:
            raise ValueError(f"Options(E={self.E}, short={self.short}): expected fewer steps left out than a round has")
        if self.weights == "seen" and self.E > 1:
            raise ValueError(f"Options(weights='seen', E={self.E}): what a round's noise was is known for E = 1 alone")
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"Options({name}={getattr(self, name)!r}): expected one of {', '.join(map(repr, known))}"
                )
        for (one, given), (other, beside), why in _EXCLUDED:
            if _is(self, one, given) and _is(self, other, beside):
                mine = f"{one}={getattr(self, one)!r}, {other}={getattr(self, other)!r}"
                raise ValueError(f"Options({mine}): {why}")

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that are no defaults, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


_ON = "on"  # any value but the first


def _is(options: Options, name: str, given: str) -> bool:
    value = getattr(options, name)
    return bool(value) and value != CHOICES.get(name, ("",))[0] if given == _ON else value == given


_JOINT = "drawn or noisy clients correlate their control variates with the model; their joint covariance is not carried"
_MODELS = "N/K times the models of those drawn is no update of the model; take part='uniform updates'"
_SEEN = "a run of the client that is chosen has no such option"
_EXCLUDED: tuple[tuple[tuple[str, str], tuple[str, str], str], ...] = (
    (("control", _ON), ("part", _ON), _JOINT),
    (("control", _ON), ("noise", "independent"), f"{_JOINT}; take noise='none'"),
    (("control", _ON), ("noise", "common"), f"{_JOINT}; take noise='none'"),
    (("control", _ON), ("steps", _ON), "control variates of clients with steps of their own are not defined here"),
    (("control", _ON), ("prox", _ON), "a proximal term with control variates is not defined here"),
    (("control", _ON), ("weights", _ON), "control variates are averaged by the shares; take weights='shares'"),
    (("control", _ON), ("momentum", _ON), "control variates with server momentum are not carried"),
    (("part", "uniform"), ("server", _ON), _MODELS),
    (("part", "uniform"), ("momentum", _ON), _MODELS),
    (("part", "uniform"), ("steps", "own, normalised"), _MODELS),
    (("part", "by weight"), ("steps", "own, normalised"), "a plain mean of those drawn does not divide by their steps"),
    (("weights", "a row a step"), ("steps", "own, normalised"), "normalised updates have the weights of their round"),
    (("weights", "a row a step"), ("short", _ON), "rows of steps that are not done would count; take a row a round"),
    (("control", _ON), ("short", _ON), "the models inside a round with control variates are not carried"),
    (("weights", "seen"), ("noise", "none"), "there is no noise to see"),
    (("weights", "seen"), ("noise", "common"), "one factor for all clients favours none of them"),
    *((("weights", "seen"), ("part", part), _SEEN) for part in ("uniform", "uniform updates", "bernoulli")),
    *((("weights", "seen"), (name, _ON), _SEEN) for name in ("server", "momentum", "steps")),
)

# What a letter needs of a run besides its rounds, and which options do not give it.
_WITHIN = "models inside a round"
_KNOWN = "a model that is no random number"
_REPEATS = "a round that is one affine map of the model"
_WHOLE = "whole rounds"
_FIXED = "weights that are fixed in advance"
_LACKING: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    _WITHIN: (("control", _ON, "the models inside a round with control variates are not carried"),),
    _KNOWN: (
        (
            "noise",
            "independent",
            "the expectation of a ratio or a maximum is no function of moments; take noise='none'",
        ),
        ("noise", "common", "the expectation of a ratio or a maximum is no function of moments; take noise='none'"),
        ("part", _ON, "the expectation of a ratio or a maximum is no function of moments; take part='all'"),
    ),
    _WHOLE: (("short", _ON, "the last round is cut"),),
    _FIXED: (("weights", "seen", "every outcome of the noise has its own"),),
    _REPEATS: (
        ("control", _ON, "the rest of a run with control variates is w* itself"),
        ("momentum", _ON, "with momentum a round is no map of the model alone"),
    ),
}
WITHIN, KNOWN, REPEATS, WHOLE, FIXED = _WITHIN, _KNOWN, _REPEATS, _WHOLE, _FIXED


def refusal(needs: tuple[str, ...], options: Options) -> str:
    """Why a letter that needs these things is not exact under these options; '' where it is."""
    for need in needs:
        for name, given, why in _LACKING[need]:
            if _is(options, name, given):
                return f"needs {need}; with {name}={getattr(options, name)!r} {why}"
    return ""
