"""The settings of the paper that its claims name: uniform weights, the early stage, η_g = 1, each with its line."""

from __future__ import annotations

from validation.statement.setting import alike, each, equal, setting

__all__ = ["EARLY", "ONE_SERVER_STEP", "PROJECTED", "TUNED_RATE", "UNIFORM"]

UNIFORM = setting(
    "FedAvg with uniform weights, the same in every round (Sec. 4.2)",
    quote="existing convergence analyses of FedAvg typically use uniform weights",
    fixes={"applied": equal, "weights": equal},
)
EARLY = setting(
    "the early stage of training (B.2), with its «High cosine values»",
    quote="High cosine values indicate similar data distributions",
    fixes={"m": alike, "g": alike},
)
ONE_SERVER_STEP = setting(
    "η_g = 1 (FedAvg, FedAWARE; B.1)",
    quote="for FedAvg, FedAvgM, FedProx, FedCM, and FedAWARE",
    fixes={"server": each(1)},
)
PROJECTED = setting(
    "FedAvg × AWARE (Sec. 3) at full participation",
    quote="denotes using for FedAWARE extension in Proposition 3.1 on corresponding methods",
    fixes={"mu": equal},
)
TUNED_RATE = setting(
    "the bound of Theorem 4.2 at F* > 0 and d = 8LK (Sec. 4.2)",
    quote="if FedAvg learning rates satisfy",
    fixes={"d": each(8), "absent": each(0)},
)
