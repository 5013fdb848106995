"""The list of rules: name, formula, source, needs, memory and what the weights sum to. A new rule is one entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Literal

from theory.parts import Own, usable_parts
from theory.rules.afl import AFL
from theory.rules.blend import Anneal, Mix
from theory.rules.clusters import WithClusters
from theory.rules.complete import Complete
from theory.rules.designed import Confidence, Similarity
from theory.rules.efl import EFL
from theory.rules.everyone import Everyone
from theory.rules.exp_alpha import ExpAlpha
from theory.rules.fed_disco import FedDisco
from theory.rules.fed_mgda_plus import FedMGDAPlus
from theory.rules.fed_nova import FedNova
from theory.rules.fed_soft_worse import FedSoftBetter, FedSoftWorse
from theory.rules.fed_worse import FedBetter, FedWorse
from theory.rules.inverse_variance import InverseVariance
from theory.rules.memory import WithMemory
from theory.rules.min_norm import MinNorm
from theory.rules.oracle import Oracle
from theory.rules.power_of_choice import PowerOfChoice
from theory.rules.presets import (
    fed_avg_aware,
    fed_avg_full,
    fed_avg_soft_better,
    fed_avg_soft_worse,
    fed_aware,
    fed_aware_na,
    fed_soft_better_avg,
    fed_soft_better_avg_soft_worse,
    fed_soft_worse_avg,
)
from theory.rules.project import Project
from theory.rules.proportional import Proportional, Uniform
from theory.rules.protocol import AnyRule, on_simplex, remembers
from theory.rules.q_fed_avg import QFedAvg
from theory.rules.sampled import SampledByWeights
from theory.rules.ssa import SSA
from theory.rules.ssa_sgd import SSASGD
from theory.rules.ssa_warm import SSAWarm
from theory.rules.switch import Switch
from theory.stats import RoundStats

__all__ = ["RULES", "RuleEntry", "own_rules", "rules"]


@dataclass(frozen=True)
class RuleEntry:
    """One row of the registry.

    `build` makes the rule from its settings; `example`: sensible values of the settings that have no default, rules
    written as text. `parts`: settings that are rules themselves. `either`: settings of which one is given. `total`:
    what the weights sum to, "1" or the declared sum. `kind`: a "rule", a "combinator", or a "preset" made of others.
    """

    name: str
    build: Callable[..., Any]
    paper: str
    source: str
    formula: str
    example: Mapping[str, object] = field(default_factory=dict)
    total: str = "1"
    parts: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    kind: Literal["rule", "combinator", "preset"] = "rule"

    @property
    def settings(self) -> dict[str, object]:
        """Every setting with its default; those without one have the value of the example."""
        found = signature(self.build).parameters
        return {n: self.example.get(n) if p.default is Parameter.empty else p.default for n, p in found.items()}

    def made(self) -> AnyRule:
        """The rule of the example."""
        from theory.rules.text import make_rule

        return make_rule(self.name)

    @property
    def needs(self) -> tuple[str, ...]:
        """Fields and signals of `RoundStats` the example reads besides shares and presence."""
        return tuple(name for name in getattr(self.made(), "needs", None) or () if name != "share")

    @property
    def signals(self) -> tuple[str, ...]:
        """Those of `needs` that are signals."""
        return tuple(name for name in self.needs if name not in RoundStats.__dataclass_fields__)

    @property
    def memory(self) -> bool:
        """Whether the rule carries a state from round to round."""
        return remembers(self.made())

    @property
    def simplex(self) -> bool:
        """Whether the example's weights lie on the simplex."""
        return on_simplex(self.made())


_RA, _EA, _FA, _SSA = "robust_aggregation", "exp_alpha", "fedaware", "fedssa"
_HYBRIDS = {"at_round": 20}
_PAIR = {"first": "fed-soft-better(temperature=0.2)", "then": "proportional"}

RULES: tuple[RuleEntry, ...] = (
    RuleEntry("proportional", Proportional, _EA, "EA-D2", "pₖ"),
    RuleEntry("uniform", Uniform, _FA, "FA-D4.1e", "1/|S|"),
    RuleEntry("exp-alpha", ExpAlpha, _EA, "eq. (3)", "∝ exp((Fₖ(wₖ) − Fₖ(w))/α)", {"alpha": 0.2}),
    RuleEntry("oracle", Oracle, _EA, "Cor. 1.1, EA-ALG2", "∝ N·pₖ·U(N·pₖ(Fₖ* − Fₖ(w)))"),
    RuleEntry(
        "fed-worse", FedWorse, _RA, "RA-S-W, RA-S-WK", "1/|J| on J = argmax(Fₖ(w) − Fₖ*), or 1/m on the m largest"
    ),
    RuleEntry(
        "fed-better", FedBetter, _RA, "RA-S-B, RA-S-BK", "1/|J| on J = argmin(Fₖ(w) − Fₖ*), or 1/m on the m least"
    ),
    RuleEntry("fed-soft-worse", FedSoftWorse, _RA, "RA-S-SW", "∝ pₖ exp((Fₖ(w) − Fₖ*)/T)", {"temperature": 0.2}),
    RuleEntry("fed-soft-better", FedSoftBetter, _RA, "RA-S-SB", "∝ pₖ exp(−(Fₖ(w) − Fₖ*)/T)", {"temperature": 0.2}),
    RuleEntry(
        "power-of-choice", PowerOfChoice, _RA, "RA-Q13", "1/m on the m largest Fₖ(w) of d drawn by pₖ", {"d": 4, "m": 2}
    ),
    RuleEntry("efl", EFL, "efl", "§4.2, EFL-ALG3", "E·pₖ/sₖ", total="E·Σ pₖ/sₖ"),
    RuleEntry("fed-nova", FedNova, "Wang et al. 2020", "§4", "τ_eff·pₖ/τₖ, τ_eff = Σ pₖτₖ", total="τ_eff·Σ pₖ/τₖ"),
    RuleEntry(
        "q-fed-avg",
        QFedAvg,
        "Li et al. 2020 (q-FFL)",
        "Algorithm 2",
        "Fₖ^q / Σ(q·Fⱼ^{q−1}·L‖uⱼ‖² + Fⱼ^q)",
        {"q": 1.0, "lipschitz": 10.0},
        total="Σ Fₖ^q / Σ(q·Fₖ^{q−1}·L‖uₖ‖² + Fₖ^q)",
    ),
    RuleEntry("fed-disco", FedDisco, "Ye et al. 2023", "Algorithm 1", "∝ max{0, pₖ − a·dₖ + b}"),
    RuleEntry(
        "fed-mgda-plus",
        FedMGDAPlus,
        "Hu et al. 2022",
        "eq. (9)",
        "λₖ/‖uₖ‖, λ = argmin ‖Σ λₖuₖ/‖uₖ‖‖², |λₖ − pₖ| <= ε",
        total="Σ λₖ/‖uₖ‖",
    ),
    RuleEntry("inverse-variance", InverseVariance, _EA, "EA-D6, noise term", "∝ 1/vₖ"),
    RuleEntry("similarity", Similarity, _SSA, "eq. (9)", "∝ mean cos(ŷₖ⁽¹⁾, ŷₖ⁽²⁾)"),
    RuleEntry("confidence", Confidence, _SSA, "eq. (10)", "∝ mean var(ŷₖ)"),
    RuleEntry("fed-ssa", SSA, _SSA, "eqs. (2), (8)", "argmin L_cos + λ_var·L_var + λ_we·L_we"),
    RuleEntry("fed-ssa-sgd", SSASGD, _SSA, "eqs. (2), (8), §5.4", "a ← a − η_ssa∇L_SSA, E_ssa epochs"),
    RuleEntry("afl", AFL, _SSA, "B.2 (Mohri et al. 2019)", "λ; then λ ← Π(λ + γF(w))"),
    RuleEntry("min-norm", MinNorm, _FA, "eq. (2)", "argmin ‖Σ aₖuₖ‖²"),
    RuleEntry(
        "complete",
        Complete,
        "efl",
        "§1, §4",
        "a rule over the clients with sₖ = Eₖ; 0 where there are none",
        {"rule": "proportional"},
        total="0 or 1",
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry(
        "sampled-by-weights",
        SampledByWeights,
        _EA,
        "EA-ALG4",
        "(times k was drawn)/K, K draws from a rule's weights",
        {"rule": "exp-alpha(alpha=0.2)", "n_sampled": 5},
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry(
        "switch",
        Switch,
        _RA,
        "§3.2, Figure 1",
        "first, then another from a round or an accuracy on",
        {**_PAIR, **_HYBRIDS},
        total="1, or as its parts",
        parts=("first", "then"),
        either=("at_round", "at_accuracy"),
        kind="combinator",
    ),
    RuleEntry(
        "anneal",
        Anneal,
        _RA,
        "§3.2",
        "(1−s_t)·first + s_t·then",
        _PAIR,
        total="1, or as its parts",
        parts=("first", "then"),
        kind="combinator",
    ),
    RuleEntry(
        "mix",
        Mix,
        _RA,
        "§3.2, at fixed s",
        "s·first + (1−s)·second",
        {"first": "exp-alpha(alpha=0.2)", "second": "proportional"},
        total="1, or as its parts",
        parts=("first", "second"),
        kind="combinator",
    ),
    RuleEntry(
        "with-memory",
        WithMemory,
        _FA,
        "eq. (3)",
        "mₖ ← (1−α)mₖ + αuₖ if present; a rule on all mₖ",
        {"rule": "proportional"},
        total="1, or as its part",
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry(
        "fed-ssa-warm",
        SSAWarm,
        _SSA,
        "Algorithm 1 (SSA-O2)",
        "fed-ssa from the last round's weights",
        {"rule": "fed-ssa"},
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry(
        "with-clusters",
        WithClusters,
        _FA,
        "§5, limitations, 2",
        "m_c ← (1−α)m_c + α·mean uₖ of a cluster; a rule on all m_c",
        {"rule": "min-norm"},
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry(
        "project",
        Project,
        _FA,
        "§3, FA-PROP3.1",
        "(⟨d̃, d⟩/⟨d, d⟩)·d, d of FedAWARE",
        {"rule": "proportional"},
        parts=("rule", "onto"),
        kind="combinator",
    ),
    RuleEntry(
        "everyone",
        Everyone,
        _RA,
        "RA-A0",
        "a rule, in full rounds only",
        {"rule": "proportional"},
        total="1, or as its part",
        parts=("rule",),
        kind="combinator",
    ),
    RuleEntry("fed-aware", fed_aware, _FA, "Algorithm 1", "argmin ‖Σ aₖmₖ‖² over all remembered", kind="preset"),
    RuleEntry("fed-aware-na", fed_aware_na, _FA, "Figure 4", "1/|seen| (or pₖ) on all mₖ", kind="preset"),
    RuleEntry("fed-avg-full", fed_avg_full, _FA, "Figure 4", "pₖ, everybody present", kind="preset"),
    RuleEntry("fed-avg-aware", fed_avg_aware, _FA, "§3, Table 2", "FedAvg projected on FedAWARE's d", kind="preset"),
    RuleEntry("fed-soft-better-avg", fed_soft_better_avg, _RA, "RA-X4", "FedSoftBetter, then FedAvg", kind="preset"),
    RuleEntry("fed-soft-worse-avg", fed_soft_worse_avg, _RA, "RA-X4", "FedSoftWorse, then FedAvg", kind="preset"),
    RuleEntry("fed-avg-soft-worse", fed_avg_soft_worse, _RA, "RA-X4", "FedAvg, then FedSoftWorse", kind="preset"),
    RuleEntry("fed-avg-soft-better", fed_avg_soft_better, _RA, "RA-X4", "FedAvg, then FedSoftBetter", kind="preset"),
    RuleEntry(
        "fed-soft-better-avg-soft-worse",
        fed_soft_better_avg_soft_worse,
        _RA,
        "RA-X5",
        "FedSoftBetter, FedAvg, FedSoftWorse",
        kind="preset",
    ),
)


def rules() -> tuple[RuleEntry, ...]:
    """Every rule of ours that can be built by name, combinators and presets included."""
    return RULES


def own_rules() -> tuple[list[RuleEntry], list[str]]:
    """(rules that entry points bring and that can be made from their defaults, what is wrong with the others)."""
    usable, faults = usable_parts("rule")
    return [
        RuleEntry(own.name, _maker(own), own.place.partition(":")[0], own.place, own.says) for own in usable
    ], faults


def _maker(own: Own) -> Callable[..., Any]:
    return own.value if own.makes else lambda: own.value
