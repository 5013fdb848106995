"""Texts to be read, of rules, algorithms, cohorts, models and whole runs: valid ones, changed ones, and odd ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from deep.config.config import RunConfig
from deep.config.settings import read_layer, resolve, rule_text, toml_value
from deep.features import client_of, server_of
from deep.models import check_model
from deep.partition import (
    cohort_text,
    local_work_text,
    make_cohort,
    make_local_work,
    make_participation,
    make_partition,
    make_target,
    participation_text,
    partition_text,
    target_text,
)
from tests.deep.fuzz_files import mutated, written
from tests.deep.fuzz_target import Target
from tests.deep.valid_texts import changed, valid
from theory.participation.sampling import RoundContext
from theory.rules.text import make_rule, parse_value

__all__ = ["MADE", "TEXTS"]


_WORDS = st.sampled_from(
    [
        *(
            "exp-alpha",
            "mix",
            "switch",
            "proportional",
            "uniform",
            "first",
            "second",
            "alpha",
            "k",
            "of",
            "all",
            "beta",
        ),
        *("classes", "m", "dirichlet", "flipped", "base", "iid", "imbalanced", "n_clients", "ratios", "size", "mlp"),
        *("hidden", "population", "partition", "exponential", "rho", "min_size", "x.a.a", "-1", "1e400", "nan", "true"),
        *("9" * 30, "0.5", "1", "none", "''", "*x", "**x", "lambda: 1", "x for x in y", "1 if 1 else 2", "f'{x}'", "λ"),
    ]
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    settings_of = st.lists(st.tuples(_WORDS, inner).map("=".join), max_size=4).map(", ".join)
    return st.one_of(
        st.tuples(_WORDS, settings_of).map(lambda pair: f"{pair[0]}({pair[1]})"),
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.tuples(st.sampled_from(["-", "not ", "(", "[", "~", "x.a."]), st.integers(1, 900), inner).map(
            lambda t: t[0] * t[1] + t[2]
        ),
        inner.map(lambda text: text + ".a" * 300),
    )


_CALLS = st.one_of(st.recursive(_WORDS, _nested, max_leaves=8), st.text(max_size=60))
_KEYS = st.sampled_from(
    ["n_rounds", "seed", "model", "n_clients", "local_lr", "partition", "cohort", "n_local_steps", "x"]
)
_VALUES = st.one_of(
    st.sampled_from(
        ["1", "-1", "1e400", "nan", "inf", "true", "''", "[]", "{}", "9" * 30, "1979-05-27", "'mlp(hidden=x)'"]
    ),
    st.integers(1, 3000).map(lambda n: "[" * n + "]" * n),
    st.integers(1, 3000).map(lambda n: "{a=" * n + "1" + "}" * n),
    _CALLS.map(json.dumps),
)
_ODD_TOML = st.lists(
    st.one_of(
        st.sampled_from(["[run]", "[rule]", "rule = 'proportional'", "name = 'exp-alpha'", "[" + "a." * 2000 + "a]"]),
        st.tuples(_KEYS, _VALUES).map(" = ".join),
        st.tuples(_WORDS, _VALUES).map(" = ".join),
        st.text(max_size=20),
    ),
    max_size=6,
).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))

# Fields of a run that go together; clients made anew every round are no population that a law could draw from.
_FIELDS: dict[str, st.SearchStrategy[object]] = {
    **{name: valid(name) for name in ("model", "partition", "client", "server", "target")},
    **{name: st.integers(1, 50) for name in ("n_rounds", "batch_size", "evaluate_every", "data_seed")},
    "lr_decay": st.floats(0.9, 1),
    "target_source": st.sampled_from(["validation", "separate", "test"]),
    "views": st.sampled_from(["", "views", "views(crop=0.5, sigma=[0.2, 1])"]),
    **{name: st.floats(0.001, 0.9) for name in ("local_lr", "momentum", "l2")},
}
_RUNS = st.one_of(
    st.fixed_dictionaries({}, optional={**_FIELDS, "participation": valid("participation")}),
    st.fixed_dictionaries({"cohort": valid("cohort")}, optional={**_FIELDS, "n_target_samples": st.integers(1, 99)}),
)
_ODD_RUNS = st.dictionaries(
    st.sampled_from([*RunConfig.__dataclass_fields__]),
    st.one_of(st.integers(), st.floats(), _CALLS, st.just(10**400), st.just(-1)),
    max_size=4,
)


def _as_toml(run: dict[str, object], rule: str) -> bytes:
    lines = [f"rule = {toml_value(rule)}", "[run]", *(f"{name} = {toml_value(value)}" for name, value in run.items())]
    return "\n".join(lines).encode()


_TOML = st.one_of(
    st.builds(_as_toml, _RUNS, valid("rule")),
    st.builds(_as_toml, _RUNS, st.one_of(valid("rule"), changed("rule"))).flatmap(mutated),
    _ODD_TOML,
)


def _planned(text: str) -> object:
    """A law of the cohort, and its plan for four clients in two rounds."""
    law, share = make_participation(text), np.full(4, 0.25)
    for round_index in range(2):
        law.plan(0, round_index, (4,), RoundContext(None, None, 10, share))
    return law


def _worked(text: str) -> object:
    """What draws a client's work, and what it draws for few samples and many."""
    law = make_local_work(text)
    for n_samples in (1, 10, 10**6):
        law.drawn(0, 0, 0, n_samples)
    return law


# What a text is made into, and the text of that again, where there is one.
MADE: dict[str, tuple[Callable[[str], object], Callable[..., str] | None]] = {
    "rule": (make_rule, rule_text),
    "client": (client_of, None),
    "server": (server_of, None),
    "participation": (_planned, participation_text),
    "local_work": (_worked, local_work_text),
    "partition": (make_partition, partition_text),
    "cohort": (make_cohort, cohort_text),
    "target": (make_target, target_text),
    "model": (check_model, None),
}


def _text(kind: str) -> Target:
    make, text_of = MADE[kind]

    def read(text: str, _: Path) -> None:
        made = make(text)
        if text_of is not None:
            text_of(made)

    return Target(
        st.one_of(valid(kind), valid(kind), changed(kind), changed(kind), _CALLS), read, (kind, "(", "client=")
    )


TEXTS: dict[str, Target] = {
    **{f"{kind}s": _text(kind) for kind in MADE},
    "values": Target(_CALLS, lambda text, _: parse_value(text), ("never",)),
    "toml": Target(
        _TOML,
        written("fuzzed.toml", lambda path: resolve(read_layer(path))),
        ("fuzzed", "RunConfig", "unknown", "(", *MADE),
    ),
    "run-config": Target(
        st.one_of(_RUNS, st.builds(lambda run, odd: {**run, **odd}, _RUNS, _ODD_RUNS), _ODD_RUNS),
        lambda value, _: RunConfig(**value),
        ("(", "unknown", "partition", "model", "cohort", "target", "participation", "client", "server", "augment"),
    ),
}
