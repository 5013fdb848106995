"""Rules by name and as text: what is built, and what is answered to a text that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import (
    AFL,
    RULES,
    ExpAlpha,
    FedSoftBetter,
    FedWorse,
    MinNorm,
    Oracle,
    Proportional,
    Scheduled,
    Switch,
    WithMemory,
    make_rule,
)
from theory.base.names import known_name
from theory.rules import Mix, example_of, parse_value, rules
from theory.rules.stats import RoundStats


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (" proportional ", Proportional()),
        ("proportional()", Proportional()),
        ("exp-alpha(alpha=5e-1, data_size=true)", ExpAlpha(0.5, data_size=True)),
        ("fed-worse(k=0.1, of=all)", FedWorse(0.1, "all")),
        ("fed-worse(k=none)", FedWorse()),
        ("with-memory(rule=min-norm, init=full-round)", WithMemory(MinNorm(), init="full-round")),
        ("with-memory(rule=min-norm(), init='full-round')", WithMemory(MinNorm(), init="full-round")),
        ("oracle(U=positive-part)", Oracle(U="positive-part")),
        ("afl(when_zero='share')", AFL(when_zero="share")),
        (
            "switch(first=fed-soft-better(temperature=0.2), then=proportional, at_round=50)",
            Switch(FedSoftBetter(0.2), Proportional(), at_round=50),
        ),
        (
            "switch(first=mix(first=exp-alpha(alpha=1), second=afl), then=proportional, at_accuracy=0.5)",
            Switch(Mix(ExpAlpha(1), AFL()), Proportional(), at_accuracy=0.5),
        ),
    ],
)
def test_text_builds_the_rule(text: str, rule: object) -> None:
    assert make_rule(text) == rule


@pytest.mark.parametrize("name", ["ExpAlpha", "exp_alpha", "EXP-ALPHA", "expalpha", "Exp-α", "Exp Alpha"])
def test_a_name_counts_as_people_type_it(name: str) -> None:
    assert make_rule(name, alpha=0.5) == ExpAlpha(0.5)


def test_names_inside_rules_and_names_people_know_rules_by_count_too() -> None:
    assert make_rule("Mix(first=Exp-α(alpha=1), second=FedAvg)") == Mix(ExpAlpha(1), Proportional())
    assert make_rule("FedMGDA+") == make_rule("fed-mgda-plus")


def test_no_two_rules_are_spelled_alike() -> None:
    names = [name for entry in RULES for name in (entry.name, *entry.also)]
    assert len(names) == len(RULES) + 1
    assert [known_name(name.replace("-", "_").upper(), names) for name in names] == names


def test_names_and_fields_build_the_same() -> None:
    parts = {"first": "fed-soft-better(temperature=0.2)", "then": Proportional(), "at_round": 50}
    expected = make_rule("switch(first=fed-soft-better(temperature=0.2), then=proportional, at_round=50)")
    assert make_rule("switch", **parts) == expected
    assert make_rule("switch(first=fed-soft-better, then=proportional)", at_round=50) == expected
    assert make_rule("switch", first=ExpAlpha(1), then="uniform", at_accuracy=0.5).at_round is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("swich(first=a)", "unknown rule 'swich'; nearest: switch"),
        ("mix(first=fed-wurst, second=uniform)", r"mix\(first=…\): unknown rule 'fed-wurst'; nearest: fed-worse"),
        ("exp-alpha(beta=1)", r"no setting \['beta'\]; its settings are \['alpha', 'data_size'\]"),
        ("exp-alpha(0.3)", "settings by name only"),
        ("exp-alpha(alpha=-1)", r"ExpAlpha\(alpha=-1\): must be finite and > 0"),
        ("exp-alpha(alpha=warm)", r"ExpAlpha\(alpha='warm'\)"),
        ("exp-alpha(alpha=nan)", r"ExpAlpha\(alpha=nan\)"),
        ("exp-alpha(alpha=1+1)", r"'1 \+ 1' is no value"),
        ("exp-alpha(alpha=1", "cannot be read"),
        ("exp-alpha(alpha=1, alpha=2)", r"sets \['alpha'\] more than once"),
        ("exp-alpha(**{})", "settings by name only"),
        ("switch(then=proportional, at_round=3)", r"lacks \['first'\]; give them as in switch\(first="),
        ("switch(first=uniform, then=proportional, at_round=1, at_accuracy=0.5)", "exactly one of the two"),
        ("with-memory(rule=min-norm, init=zero)", "did you mean 'zeros'"),
        ("__import__('os').system('true')", "expected a rule's name before each parenthesis"),
        ("exp-alpha(alpha=__import__('os'))", "settings by name only"),
        ("exp-alpha(alpha=exp-alpha(alpha=1))", r"ExpAlpha\(alpha='exp-alpha\(alpha=1\)'\)"),
        ("with-memory(rule=" * 200, "at most 2000"),
        ("(" * 1500, "cannot be read"),
        ("[" + "exp-alpha(alpha=1)" + "]", "expected name or name"),
    ],
)
def test_bad_text_is_answered_clearly(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_rule(text)


def test_a_setting_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"\['alpha'\] are set in the text and again beside it"):
        make_rule("exp-alpha(alpha=1)", alpha=2)


@given(text=st.text(alphabet="exp-alh(=)1.,'[]{}*@: \n_·αswitcfr", max_size=30))
def test_no_text_gets_past_the_parser(text: str) -> None:
    try:
        rule = make_rule(text)
    except ValueError:
        return
    assert hasattr(rule, "step") or callable(rule)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-0.5", -0.5), ("true", True), ("None", None), ("seen", "seen"), ("full-round", "full-round")],
)
def test_values(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


def test_the_registry_says_what_it_holds() -> None:
    assert rules() == RULES
    assert len({entry.name for entry in RULES}) == len(RULES) >= 30
    signals = {"accuracy", "gradient_variance", "label_counts", "step_size", "view_1", "view_2", "logits"}
    known = {*RoundStats.__dataclass_fields__, *signals}
    for entry in RULES:
        example = example_of(entry.name)
        assert make_rule(entry.name) == example.rule
        assert set(example.needs) <= known
        assert example.memory == hasattr(example.rule, "step")
        assert (entry.total[0] == "1") == example.simplex
        assert entry.formula
        assert entry.source
    by_name = {entry.name: entry for entry in RULES}
    assert example_of("similarity").signals == ("view_1", "view_2")
    assert by_name["efl"].total == "E·Σ pₖ/sₖ"
    assert by_name["switch"].settings["at_round"] is None
    assert not any(entry.build is Scheduled for entry in RULES)  # its weights are an array, which no text gives
