"""EA-R8: what Exp-α costs beside local training."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from paper_checks.exp_alpha.relations_tables import printed, table
from validation import (
    Bound,
    Canary,
    Case,
    Cell,
    Claim,
    Comparison,
    ExactCheck,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Number,
    Reading,
    Relation,
    Space,
    symbols,
)
from validation.printed import below

__all__ = ["CLAIMS"]


epochs = symbols("epochs")


def passes() -> Fraction:
    """Calls of CalculateRisk by one client in one round of Algorithm 1, beside E local steps."""
    calls = {"forward over all local data": 0, "local steps": 0}

    def risk() -> None:
        calls["forward over all local data"] += 1

    risk()  # F_i(W^T), of the broadcast model
    for _ in range(20):
        calls["local steps"] += 1  # ClientUpdate: a forward and a backward pass over one batch each
    risk()  # F_i(W_i^(T+E)), of the local model
    return Fraction(calls["forward over all local data"])


def _cost(x: Instance) -> Mapping[str, Any]:
    """Two forward passes over the data as a share of training for `epochs`, a backward pass costing `backward`."""
    both = 2.0 / (x["epochs"] * (1.0 + x["backward"]))
    return {"lhs": both, "epochs": x["epochs"], "backward": x["backward"]}


def cost_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Cost of two forward passes over the local data over that of the training passes, in forward passes."""
    training = sum((1 + x["backward"] for _ in range(int(x["epochs"]))), Fraction(0))
    met = {"several epochs": x["epochs"] >= 2, "a backward pass costs at least a forward pass": x["backward"] >= 1}
    return met, {"lhs": 2 / training, "epochs": x["epochs"], "backward": x["backward"]}


_COST = Case(
    "2 to 100 epochs",
    Space((Integer("epochs", 2, 100, at=(2, 4, 16)), LogScale("backward", 1.0, 4.0, at=(1.0, 2.0)))),
    _cost,
    ExactCheck(cost_exact),
)
_TWO = Cell("2", "A.2: «two additional inference passes on the local data»")


_DEAREST = 4  # forward passes that a backward pass costs at most, here as in _COST


def below_training(dataset: str, splits: str, steps: str) -> tuple[Comparison, ...]:
    """Two forward passes over each training set of a table against `steps` local steps over one batch each."""
    batch = printed("table04_implementation", "batch_size", dataset=dataset)
    seen = int(steps) * (1 + _DEAREST) * batch
    return tuple(
        below(
            (2 * printed(splits, domain=domain, split="train")).named(f"{dataset}, {domain}: two passes"),
            seen.named(f"{steps} steps with backward passes of {_DEAREST} forward passes"),
        )
        for domain in table(splits).values("domain")
    )


def domain_shift() -> tuple[Comparison, ...]:
    """The same on the domain-shift benchmarks, at the E that Table 3 prints for them."""
    splits = {
        "OfficeCaltech10": "table05_splits_office",
        "DomainNet": "table06_splits_domainnet",
        "Digits": "table07_splits_digits",
    }
    out: list[Comparison] = []
    for name, rows in splits.items():
        for steps in table("table03_domain_shift").values("E", dataset=name):
            out += below_training(name, rows, steps)
    return tuple(out)


def fraction_again(epochs: Any) -> Any:
    """The right side once more."""
    return 1 / epochs


R8 = Claim(
    id="EA-R8",
    kind=Kind.NUMBER,
    source="A.2",
    title="Cost of Exp-α",
    statement=r"\text{two additional inference passes over the local data per round, a small fraction of the cost of training}",
    says="Per round and client Exp-α costs two forward passes over the local data, a small fraction of the training itself.",
    assumes=("a backward pass costs at least a forward pass", "several local epochs a round, as A.2 says"),
    readings=(
        Reading(
            "two passes",
            "Calls of CalculateRisk in a round of Algorithm 1.",
            Number(_TWO, passes, Fraction(0), "a count is exact"),
        ),
        Reading(
            "an epoch is a pass over the local data",
            "Then the two passes cost at most one part of the training in as many as there are local epochs.",
            Inequality(Bound(1 / epochs, again=fraction_again, degrees={"epochs": (0, 0)}), (_COST,), degrees=(0, 0)),
        ),
        Reading(
            "an epoch is 4 batches of 64, as in A.3",
            "Tables 3 to 7, charitably: on every domain the two passes cost less than all local steps of a round, each backward "
            "pass at four forward passes.",
            Relation(domain_shift),
        ),
    ),
    canaries=(
        Canary(
            "one pass", Number(Cell("1", "one pass"), passes, Fraction(0), "a count is exact"), "risk before and after"
        ),
        Canary(
            "at most a tenth of training",
            Inequality(Bound(sp.Rational(1, 10)), (_COST,)),
            "two epochs with a backward pass of two forward passes: a third",
        ),
        Canary(
            "DomainNet with a single local step",
            Relation(lambda: below_training("DomainNet", "table06_splits_domainnet", "1")),
            "one batch of 64 at five forward passes against twice 1472 samples or more",
        ),
    ),
    tight="a backward pass that costs as much as a forward pass",
    depends_on=("EA-ALG1",),
    verdict_words=(
        "Two calls of CalculateRisk a round, one at each end of the local training, each over all local data. Against e epochs that "
        "are passes over that data, with backward passes of b forward passes, this is 2/(e(1 + b)) of the training: with b = 2 a third for two "
        "epochs, a sixth for four. But A.3 keeps the steps per epoch constant: on the domain-shift sets an epoch is 4 batches of "
        "64, so E = 16 trains on 1024 samples, whatever a client has. With b = 2 the two passes then cost 6 to 41% of the training on "
        "Office-Caltech10, 58% on Digits, and on DomainNet from 96% (Clipart) to 1.8 times (Quickdraw) and 2.2 times (Real) as much as the training; even "
        "with b = 4 more than all of it on Quickdraw and Real. For CIFAR-10 the paper does not print how much data a client has."
    ),
)

CLAIMS: tuple[Claim, ...] = (R8,)
