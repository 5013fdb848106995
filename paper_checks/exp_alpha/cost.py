"""EA-R8: what Exp-α costs beside local training."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy import Rational

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.relations_tables import printed, table
from validation import Cell, Claim, Comparison, Instance, Integer, LogScale, Number, Relation, Space
from validation.statement.printed import below
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]


epochs, share_of_training = NOTATION.symbols("epochs share_of_training")


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


def cost(x: Instance) -> Mapping[str, Any]:
    """Two forward passes over the data as a share of training for `epochs`, a backward pass costing `backward`."""
    return {"share_of_training": 2.0 / (x["epochs"] * (1.0 + x["backward"])), "epochs": x["epochs"]}


def cost_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Cost of two forward passes over the local data over that of the training passes, in forward passes."""
    training = sum((1 + x["backward"] for _ in range(int(x["epochs"]))), Fraction(0))
    met = {"several epochs": x["epochs"] >= 2, "a backward pass costs at least a forward pass": x["backward"] >= 1}
    return met, {"share_of_training": 2 / training, "epochs": x["epochs"]}


_COST = World(
    NOTATION,
    (
        case(
            "2 to 100 epochs",
            Space((Integer("epochs", 2, 100, at=(2, 4, 16)), LogScale("backward", 1.0, 4.0, at=(1.0, 2.0)))),
            cost,
            cost_exact,
        ),
    ),
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


R8 = stated(
    r"""EA-R8 (remark; A.2): Cost of Exp-α
    Print: \text{two additional inference passes over the local data per round, a small fraction of the cost of trai
        ning}
    Plainly: Per round and client Exp-α costs two forward passes over the local data, a small fraction of the
        training itself.
    Assumes: a backward pass costs at least a forward pass | several local epochs a round, as A.2 says
    Open (twice) epoch: A.2 compares with epochs over the local data; A.3 and Table 4 print 4 batches of 64 an epoch
        on the domain-shift sets
    Reading: two passes | Calls of CalculateRisk in a round of Algorithm 1. | part: two passes
    Reading: an epoch is a pass over the local data | Then the two passes cost at most one part of the training in
        as many as there are local epochs. | part: a small fraction | option epoch = a pass over the local data
    Reading: an epoch is 4 batches of 64, as in A.3 | Tables 3 to 7, charitably: on every domain the two passes cost
        less than all local steps of a round, each backward pass at four forward passes. | part: a small fraction |
        option epoch = 4 batches of 64
    Mutant: one pass | risk before and after
    Mutant: at most a tenth of training | two epochs with a backward pass of two forward passes: a third
    Mutant: DomainNet with a single local step | one batch of 64 at five forward passes against twice 1472 samples
        or more
    Tight: a backward pass that costs as much as a forward pass
    Rests on: EA-ALG1
    Verdict: Two calls of CalculateRisk a round, one at each end of the local training, each over all local data.
        Against e epochs that are passes over that data, with backward passes of b forward passes, this is 2/(e(1 +
        b)) of the training: with b = 2 a third for two epochs, a sixth for four. But A.3 keeps the steps per epoch
        constant: on the domain-shift sets an epoch is 4 batches of 64, so E = 16 trains on 1024 samples, whatever a
        client has. With b = 2 the two passes then cost 6 to 41% of the training on Office-Caltech10, 58% on Digits,
        and on DomainNet from 96% (Clipart) to 1.8 times (Quickdraw) and 2.2 times (Real) as much as the training;
        even with b = 4 more than all of it on Quickdraw and Real. For CIFAR-10 the paper does not print how much
        data a client has.""",
    says=Number(_TWO, passes, Fraction(0), "a count is exact"),
    readings={
        "an epoch is a pass over the local data": but(le(share_of_training, 1 / epochs), world=_COST),
        "an epoch is 4 batches of 64, as in A.3": Relation(domain_shift),
    },
    mutants={
        "one pass": Number(Cell("1", "one pass"), passes, Fraction(0), "a count is exact"),
        "at most a tenth of training": but(le(share_of_training, Rational(1, 10)), world=_COST),
        "DomainNet with a single local step": Relation(
            lambda: below_training("DomainNet", "table06_splits_domainnet", "1")
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (R8,)
