"""The settings of the paper that its claims name: methods, partitions, local steps, each with its line."""

from __future__ import annotations

from validation.statement.setting import alike, each, equal, falling, same_as, setting

__all__ = ["DIGITS", "DRAWN", "EXPONENTIAL", "PROPORTIONAL", "SAME_SIZES", "THREE_STEPS"]

_PROPORTIONAL = "proportional aggregation (McMahan et al., 2017), whose aggregation weights are proportional to the size of local dataset"

PROPORTIONAL = setting(
    "FedAvg with proportional weights",
    quote=_PROPORTIONAL,
    fixes={"weights": same_as("share"), "table": alike, "sees": each(0)},
)
DRAWN = setting(
    "FedAvg with proportional weights and K clients drawn by them (Assumption 5)",
    quote="sampling a client with probabilities $\\{\\rho_i^{t+1} | i = 1, ..., N\\}$ repeatedly for K times with replacement",
    fixes={"weights": same_as("share"), "table": alike, "sees": each(0), "drawn": each(2)},
)
DIGITS = setting(
    "Digits: 892 training samples on every client (Table 7)", quote="Train 892 892 892 892 892", fixes={"share": equal}
)
SAME_SIZES = setting(
    """Digits, 892 training samples on every client (Table 7): Sec. 3.3, «we deliberately keep the size of local
        datasets equal»""",
    quote="Train 892 892 892 892 892",
)
THREE_STEPS = setting(
    "three local steps, as in Figure 1",
    quote="with three local optimization steps, i.e., E = 3, and two clients",
    fixes={"E": each(3)},
)
EXPONENTIAL = setting(
    "the exponential functions of Sec. 3.4, at points where 2^x is rational",
    quote="One family of functions that satisfies $\\mathcal{U}(*) \\geq 0$ and non-decreasing, is the exponential functions",
    fixes={"height": falling},
)
