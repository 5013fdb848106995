"""What a study of theory against a network holds fixed: data, partition, plan, seeds, rules, and what is measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import inf, isfinite

from deep import RunConfig
from deep.config.seeded_rule import rule_of_run
from theory.rules import make_rule
from theory.rules.protocol import Rule, needs_of

__all__ = ["COLUMNS", "RULES", "Setting"]

RULES = (
    "proportional",
    "exp-alpha(alpha=0.2)",
    "fed-soft-worse(temperature=0.2)",
    "fed-soft-better(temperature=0.2)",
    "fed-worse",
    "fed-better",
    "min-norm",
)
COLUMNS = ("solved", "engine", "network")
_SEEN = {"loss_after", "updates"}  # what a round's samples decide


@dataclass(frozen=True)
class Setting:
    """Three columns on one partition, plan, batches and seeds, every client present in every round.

    `dataset`, `split`, `scaling`: as `RunConfig`. `beta`: Dirichlet's parameter of the partition, ∞ for an even one;
    `betas`: those of the dose–response, `beta` among them. `rules` in the words of `make_rule`, the first the one that
    others are compared with. `l2`, `local_lr`: of softmax regression, columns "solved" and "engine". `model`,
    `network_lr`: of column "network", whose smoothness nobody knows, without l2. Raises `ValueError` for fewer than 2
    seeds, 2 rules or 2 rounds, rules named twice, and a `beta` that is none of the `betas`.
    """

    dataset: str = "fashion-mnist"
    split: str = "small"
    scaling: str = "channel"
    n_clients: int = 10
    n_rounds: int = 20
    n_local_steps: int = 5
    batch_size: int = 20
    l2: float = 0.05
    local_lr: float = 0.01
    model: str = "mlp(hidden=[32])"
    network_lr: float = 0.05
    rules: tuple[str, ...] = RULES
    n_seeds: int = 5
    beta: float = 0.3
    betas: tuple[float, ...] = (0.1, 0.3, 1.0, 10.0, inf)

    def __post_init__(self) -> None:
        for name, value in (("n_seeds", self.n_seeds), ("rules", len(self.rules)), ("n_rounds", self.n_rounds)):
            if value < 2:
                raise ValueError(f"Setting({name}={getattr(self, name)!r}): expected at least 2")
        if len({repr(make_rule(text)) for text in self.rules}) < len(self.rules):  # one rule has several names
            raise ValueError(f"Setting(rules={self.rules!r}): a rule is named twice")
        if self.beta not in self.betas:
            raise ValueError(f"Setting(beta={self.beta}, betas={self.betas}): beta must be one of them")
        for beta in self.betas:
            if not beta > 0:
                raise ValueError(
                    f"Setting(betas={self.betas}): expected each β above 0, inf for an even partition; got {beta}"
                )
        for text in self.rules:
            make_rule(text)
        self.config("network", 0, self.beta)
        self.config("solved", 0, self.beta)

    def rule(self, text: str, seed: int = 0) -> Rule:
        """The rule of that text in the run with that seed, which its draws follow as in any run (`rule_of_run`).

        `ValueError` for one that remembers: its weights are not those of a round.
        """
        rule = rule_of_run(text, {}, seed)
        if not isinstance(rule, Rule) or hasattr(rule, "step"):
            raise ValueError(f"Setting(rules={text!r}): remembers earlier rounds; expected a rule of a round")
        return rule

    def sees_samples(self, text: str) -> bool:
        """Whether the rule's weights depend on the samples of the round, which the bound's proof excludes."""
        needs = needs_of(self.rule(text))
        return needs is None or bool(_SEEN & set(needs))

    def config(self, column: str, seed: int, beta: float) -> RunConfig:
        """The run of a column: "engine" is "solved" in the deep engine, "network" has another model and rate."""
        even = not isfinite(beta)
        config = RunConfig(
            dataset=self.dataset,
            split=self.split,
            scaling=self.scaling,
            n_clients=self.n_clients,
            n_sampled=self.n_clients,
            partition="iid" if even else f"dirichlet(beta={beta:g}, min_size={self.batch_size})",
            n_rounds=self.n_rounds,
            n_local_steps=self.n_local_steps,
            batch_size=self.batch_size,
            local_lr=self.local_lr,
            l2=self.l2,
            losses="all",
            seed=seed,
        )
        if column != "network":
            return config
        return replace(config, model=self.model, local_lr=self.network_lr, l2=0.0, floor="zero")

    def to_dict(self) -> dict[str, object]:
        """Ready for `json.dumps`; ∞ is text."""
        plain = asdict(self)
        plain["betas"] = [beta if isfinite(beta) else "∞" for beta in self.betas]
        plain["beta"] = self.beta if isfinite(self.beta) else "∞"
        return plain
