"""The settings of the paper that its claims name: participation, λ = 0, shards, compression, each with its line."""

from __future__ import annotations

from validation.statement.setting import each, equal, falling, setting

__all__ = ["AT_RANDOM", "NO_ELASTIC_TERM", "NO_TIES", "ONE_CLASS", "SHARDS"]

AT_RANDOM = setting(
    "A.4: 10 participants sampled at random in each round, one law for all rounds",
    quote="In each round, we randomly sample 10 participants.",
    fixes={"work": each("1/10"), "chance": equal},
)
NO_ELASTIC_TERM = setting(
    "EFL with λ = 0 (Sec. 5.3, Figure 2)",
    quote="We compare EFL with $\\lambda=0$ and EFL with best $\\lambda$",
)
SHARDS = setting(
    "a client with one of 100 equal shards joins the 99 others: n_a = n/99",
    quote="We randomly split the training data into equally sized shards for the IID setting and assigned one shard to every clients",
    fixes={"size_ratio": each("1/99")},
)
NO_TIES = setting(
    "updates whose entries all differ in size, compressed to the largest (Table 4)",
    quote="q = .1",
    fixes={"entry": falling, "like": each(0)},
)
ONE_CLASS = setting(
    "the non-IID(1) splits: a client that leaves takes samples of its class with it",
    quote="Non-IID(1)",
    fixes={"same": each(0)},
)
