"""Sec. 4.1, (3), (4) and Algorithm 1: the aggregated model, the mixed prediction, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Max

from paper_checks.fedssa.learning import learnt
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.views import of_views
from validation import Case, Claim, Family, Instance, Integer, LogScale, Signed, Simplex, Size, Space, units
from validation.world import World, at, case, definition, le, mutant, reading, twice

__all__ = ["CLAIMS"]

outside, outputs_apart, off_simplex, rise, rounding = NOTATION.symbols(
    "outside outputs_apart off_simplex rise rounding"
)
top_moved, sharpened, unfinished2 = NOTATION.symbols("top_moved sharpened unfinished2")


def parameters(x: Instance, *, hidden: bool) -> Mapping[str, Any]:
    """How far the mean parameters leave the range of the local ones, and the mean model's output that of the mixed logits.

    `hidden`: one rectified unit before the last layer, of weight `layer`.
    """
    w, layer, unit, sample = x["weights"], x["layer"], x["unit"], x["sample"]
    mean, inside = (w[:, :, None] * unit).sum(axis=1), (unit * sample[:, None]).sum(axis=2)
    one, two = (mean * sample).sum(axis=1), (w * inside).sum(axis=1)
    if hidden:
        one = (w * layer).sum(axis=1) * np.maximum(one, 0)
        two = (w * layer * np.maximum(inside, 0)).sum(axis=1)
    size = (w * np.abs(layer)).sum(axis=1) + 1
    sizes = {"outputs_apart": size * (np.abs(unit).sum(axis=(1, 2)) + 1) * np.abs(sample).max(axis=1)}
    sizes |= {"outside": np.abs(unit).max(axis=(1, 2))}
    out = np.maximum(mean - unit.max(axis=1), unit.min(axis=1) - mean).max(axis=1)
    return {"outside": out, "outputs_apart": np.abs(one - two), "sizes": sizes}


def parameters_exact(x: Mapping[str, Any], *, hidden: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same, client by client."""
    w, layer, unit, sample, axes = x["weights"], x["layer"], x["unit"], x["sample"], range(len(x["sample"]))
    mean = [sum(a * u[j] for a, u in zip(w, unit, strict=True)) for j in axes]
    inside, one = [sum(u[j] * sample[j] for j in axes) for u in unit], sum(mean[j] * sample[j] for j in axes)
    two = sum(a * y for a, y in zip(w, inside, strict=True))
    if hidden:
        one = sum(a * v for a, v in zip(w, layer, strict=True)) * max(one, 0)
        two = sum(a * v * max(y, 0) for a, v, y in zip(w, layer, inside, strict=True))
    out = [max(mean[j] - max(u[j] for u in unit), min(u[j] for u in unit) - mean[j]) for j in axes]
    return {"weights >= 0": min(w) >= 0}, {"outside": max(out), "outputs_apart": abs(one - two)}


def _parameters(*at: int, free: bool = False, hidden: bool = False) -> World:
    """Up to 300 clients of up to 8 parameters, or as many as given; `free`: weights of any sum."""

    def one(K: float, d: float) -> Case:
        n, dim = int(K), int(d)
        drawn = (
            LogScale("weights", 1e-2, 1e1, (n,)) if free else Simplex("weights", n),
            Signed("layer", 1e-2, 1e1, (n,)),
            Signed("unit", 1e-2, 1e1, (n, dim)),
            Signed("sample", 1e-2, 1e1, (dim,)),
        )
        name, cost = f"{n} clients, {dim} parameters", max(1.0, n * dim / 100)
        return case(name, Space(drawn), parameters, parameters_exact, cost=cost, hidden=hidden)

    wide = Family("parameters", (Size("K", 1, 300, 3), Size("d", 1, 8, 2)), one)
    return World(NOTATION, (one(*at) if at else wide,))


_BETWEEN, _SAME_OUTPUT = le(outside, 0), le(outputs_apart, 0)
E03 = definition(
    "SSA-E03",
    "Eq. (3), Section 4.1",
    "The aggregated model",
    printed=r"\theta^{t+1}:=\sum_kw_k^t\theta_k^t",
    plainly="""The next global model is the weighted mean of the local models, and for linear models its output is the
        mixed output.""",
    assumes=["weights on the simplex unless said"],
    says=_BETWEEN,
    world=_parameters(),
    readings=[
        reading(
            "between the local models",
            "Every parameter lies in the range of the clients' ones, weights on the simplex.",
            part="between the local models",
        ),
        reading(
            "linear models",
            "Σw_kh_k(θ_k; x), the argument of the softmax in (4), is the output of Σw_kθ_k, for any weights.",
            _SAME_OUTPUT,
            world=_parameters(free=True),
            part="linear models",
        ),
    ],
    mutants=[
        mutant(
            "weights of any sum stay between",
            None,
            "one client with a weight above 1 is taken beyond its parameters",
            at(weights=[2], layer=[0], unit=[[-1]], sample=[0]),
            world=_parameters(1, 1, free=True),
        ),
        mutant(
            "one hidden unit",
            _SAME_OUTPUT,
            """max(0, ·) of a mean is not the mean of max(0, ·), and the product of two means is not the mean of the
                products""",
            at(weights=["1/2", "1/2"], layer=[0, -1], unit=[[0], [1]], sample=[1]),
            world=_parameters(2, 1, hidden=True),
        ),
    ],
    rests_on=["SSA-ALG"],
    verdict="""A definition; a weighted mean on the simplex, the same as line «aggregate» of Algorithm 1. The weights
        are learned on the mixed logits (4). They are the logits of the aggregated model if the model is linear in its
        parameters; already one hidden unit makes them differ, so for the networks of the paper (4) is a substitute
        whose quality only runs can show.""",
)

E04 = definition(
    "SSA-E04",
    "Eq. (4), Section 4.2",
    "Prediction of a view",
    printed=r"\hat{\mathbf y}^{(i)}=\sigma\big(\sum_{k=1}^Kw_k\hat{\mathbf y}_k^{(i)}\big),\quad i=1,2",
    plainly="The prediction is a point of the simplex of classes; scaling all weights keeps its top class.",
    assumes=["finite logits"],
    says=of_views(le(Max(off_simplex, top_moved), rounding)),
    readings=[reading("as printed", "Entries non-negative, sum one, the top class the same at twice the weights.")],
    mutants=[
        mutant(
            "twice the weights give the same prediction",
            of_views(le(sharpened, rounding), at=((1, 2, 1),)),
            "softmax of doubled logits is sharper unless all logits are equal",
        )
    ],
    rests_on=["SSA-ALG"],
    verdict="""Well defined for all real weights: finite logits give outputs in the open simplex. The scale of the
        weights acts as an inverse temperature, so without a fixed sum the losses also reward mere sharpness.""",
)


def local(x: Instance) -> Mapping[str, Any]:
    """(θ after τ SGD steps − argmin)² on a quadratic client."""
    gap = (1 - x["step"]) ** (2 * x["tau"]) * x["start"] ** 2
    return {"unfinished2": gap, "magnitude": x["start"] ** 2 * 1e-6}


def local_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The local model after tau full gradient steps of length step/curvature, squared distance from the minimiser."""
    model = x["start"]
    for _ in range(int(x["tau"])):
        model -= x["step"] * model
    met = {"0 < eta h <= 1": 0 < x["step"] <= 1, "tau >= 1": x["tau"] >= 1}
    return met, {"unfinished2": model * model}


_ONE_CLIENT = Space((Signed("start", 1e-2, 1e2), LogScale("step", 1e-3, 0.999), Integer("tau", 1, 50)))
_LOCAL = case("one quadratic client", _ONE_CLIENT, local, local_exact, symmetries=(units({"start": (0, 1)}),))
_RULE = Family("the rule", (Size("K", 1, 100, 3), Size("S", 1, 20, 2)), lambda K, S: learnt(K, 3, S))
ALG = definition(
    "SSA-ALG",
    "Algorithm 1, B.1; Sec. 4.1",
    "FedSSA's algorithm",
    printed=r"""\theta_k^t:=\arg\min\mathcal L_c(\theta_k;\mathcal D_k),\quad\{w_k^t\}:=\arg\min_{\{w_k\}}\mathcal
        L_{SSA},\quad\theta^{t+1}:=\sum_kw_k^t\theta_k^t""",
    plainly="""The pseudocode is the method of Section 4: local SGD, weights that lower L_SSA on the simplex, their
        average.""",
    assumes=[
        "weight learning by checked projected gradient from equal weights",
        "clients of the round only are weighted",
    ],
    says=le(Max(off_simplex, rise), rounding),
    world=World(NOTATION, (_RULE,)),
    open={
        "local_training": twice("""Sec. 4.1: «multiple standard SGD steps … θ_k^t := θ_k^t − η_c∇L_c(θ_k^t; D_k)»;
            Algorithm 1: θ_k^t := arg min L_c(θ_k; D_k)""")
    },
    readings=[
        reading(
            "steps 3 and 4, the server",
            """Learned weights lie on the simplex, are 0 for absent clients, and L_SSA is not above that of equal
                weights.""",
            options={"local_training": "several SGD steps, Sec. 4.1"},
            because="local training is then a definition; what is left to test of the pseudocode is the server's part",
        ),
        reading(
            "step 2, the clients",
            "«θ_k := arg min L_c» equals «several SGD steps», on a quadratic client without noise.",
            le(unfinished2, 0),
            world=World(NOTATION, (_LOCAL,)),
            options={"local_training": "arg min, Algorithm 1"},
            because="taken literally the broadcast model would not matter, and τ, E_local would have no meaning",
        ),
    ],
    mutants=[
        mutant(
            "one unchecked step of rate 100",
            None,
            "the step overshoots to a vertex, which may be worse than equal weights",
            world=World(NOTATION, (learnt(2, 3, 1, rate=100),)),
        )
    ],
    rests_on=["SSA-E02", "SSA-E03", "SSA-O1", "SSA-O2"],
    verdict="""The server's part can be carried out as printed: the package's rule keeps the weights on the simplex,
        gives absent clients 0 and never raises L_SSA. The two printed forms of local training differ: several SGD steps
        from θᵗ do not reach the minimiser, and the experiments (ten epochs) and Theorem A.5 (τ steps) mean the steps;
        taken literally, arg min would make the broadcast model irrelevant. «arg min» over the weights is not reached
        either: L_SSA is not convex (SSA-LP10), so a descent finds a local minimum, and the simplex is not mentioned
        (SSA-O1).""",
)

CLAIMS: tuple[Claim, ...] = (E03, E04, ALG)
