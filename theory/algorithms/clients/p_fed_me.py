"""pFedMe: clients send what pulls the common model to their own, and are judged by their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Carried, Oracle, Stepwise, Vectors
from theory.base.checks import check_number, check_whole

__all__ = ["ENTRY", "PFedMe"]


@dataclass(frozen=True)
class PFedMe(Client):
    """θ ← θ − ρ(∇ℓ(θ) + λ(θ − w)), K times on one batch, then w ← w − ηλ(w − θ); judged by θₖ.

    Source: T Dinh, Tran and Nguyen 2020 (pFedMe), Algorithm 1, whose line 7 wants θ ≈ argmin ℓ(θ) + (λ/2)‖θ − w‖² on
    the batch. Its server step x ← (1 − β)x + β·mean is server "rate" with lr = β.
    *Open* there: the solver; taken here K steps of gradient descent at rate ρ that go on from the θ of the local step
    before, and from x at the start of a round. *Open* in efl, which runs it (Table 3): every setting.
    `lam` λ > 0 in gradients a unit of the model, `n_inner` K >= 1, `inner_lr` ρ > 0, None for the local rate η.
    Those present train and are averaged; in Algorithm 1 all clients train and some are averaged.
    """

    lam: float
    n_inner: int = 5
    inner_lr: float | None = None

    keeps = ("personal",)
    begins = ("personal",)
    judges = "θₖ of its last local step"

    def __post_init__(self) -> None:
        check_number("PFedMe", "lam", self.lam)
        check_whole("PFedMe", "n_inner", self.n_inner, low=1)
        if self.inner_lr is not None:
            check_number("PFedMe", "inner_lr", self.inner_lr, hint="None takes the local rate")

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """Descent on the Moreau envelope of the batch's loss."""

        def step(oracle: Oracle, carried: Carried, rate: Any) -> Carried:
            model, personal = carried["model"], carried["personal"]
            inner = rate if self.inner_lr is None else self.inner_lr
            for _ in range(self.n_inner):
                personal = personal - inner * (oracle(personal) + self.lam * (personal - model))
            return {**carried, "model": model - rate * (self.lam * (model - personal)), "personal": personal}

        begun = 0 * own["personal"] + broadcast["model"][..., None, :]
        return Stepwise(step, {"personal": begun}, ("personal",))

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """The last θₖ."""
        return {**own, "personal": played.left["personal"]}, broadcast

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """θₖ; of a client that was never present the initial model."""
        return own["personal"]


ENTRY = AlgorithmEntry(
    "p-fed-me",
    "client",
    PFedMe,
    "T Dinh et al. 2020, Algorithm 1",
    "θ ← θ − ρ(∇ℓ(θ) + λ(θ − w)), K times; w ← w − ηλ(w − θ); judged by θₖ",
    {"lam": 15.0},
)
