from __future__ import annotations

import csv
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep.data import (
    SPLITS,
    Groups,
    Parts,
    RegressionDataset,
    cut,
    digits_split,
    domain_split,
    efl_split,
    hold_out,
    make_split,
    per_group,
    split_in_order,
)
from deep.data.sets.characters import next_characters

ONE = Groups("speaker", torch.zeros(2, dtype=torch.int64), ("only",))
PUBLISHED = Path(__file__).parents[3] / "paper_checks" / "exp_alpha" / "published"


def numbered(n, start=0, groups=None):
    """n samples that can be told apart by their target."""
    return RegressionDataset(
        torch.zeros(n, 1), torch.arange(start, start + n, dtype=torch.float32), "numbered", groups=groups
    )


def printed(table):
    """{domain: {"train": n, "val": n, "test": n}} of a table of the paper."""
    counts = {}
    with (PUBLISHED / table).open() as file:
        for row in csv.DictReader(file):
            counts.setdefault(row["domain"] or row["dataset"], {})[row["split"]] = int(row["value"])
    return counts


def sizes(parts):
    return {"train": len(parts.train), "val": len(parts.validation), "test": len(parts.test)}


def targets(*parts):
    return sorted(torch.cat([part.targets for part in parts]).int().tolist())


@pytest.mark.parametrize("table", ["table05_splits_office.csv", "table06_splits_domainnet.csv"])
def test_the_domain_rule_gives_the_printed_counts(table):
    counts = printed(table)
    assert len(counts) in (4, 6)
    for expected in counts.values():
        assert sizes(domain_split(Parts(numbered(sum(expected.values()))), seed=1)) == expected


def test_the_digits_rule_gives_the_printed_counts():
    # Images of both official parts together, as the authors of the five data sets count them.
    everything = {
        "MNIST": 70_000,
        "SVHN": 73_257 + 26_032,
        "USPS": 9_298,
        "SynthDigits": 479_400 + 9_553,
        "MNIST-M": 70_000,
    }
    counts = printed("table07_splits_digits.csv")
    assert counts.keys() == everything.keys()
    for domain, expected in counts.items():
        assert sizes(digits_split(Parts(numbered(everything[domain])), seed=1)) == expected


def test_holding_out_gives_the_printed_counts_of_cifar10():
    (expected,) = printed("prose_splits_cifar10.csv").values()
    assert sizes(hold_out(Parts(numbered(50_000), numbered(10_000)), seed=1)) == expected


def test_efl_pools_and_cuts_80_10_10():
    made = efl_split(Parts(numbered(112_800), numbered(18_800, 112_800)), seed=1)
    assert sizes(made) == {"train": 105_280, "val": 13_160, "test": 13_160}
    assert targets(made.train, made.validation, made.test) == list(range(131_600))


@given(n=st.integers(2, 300), n_test=st.integers(1, 50), seed=st.integers(0, 2**32))
def test_holding_out_never_touches_the_official_test_part(n, n_test, seed):
    parts = Parts(numbered(n), numbered(n_test, 1000))
    made, again = hold_out(parts, seed), hold_out(parts, seed)
    assert made.test is parts.test
    assert targets(made.train, made.validation) == list(range(n))
    assert torch.equal(made.train.targets, again.train.targets)
    assert len(made.validation) == -(-3 * n // 10)


def test_an_official_validation_part_is_kept():
    parts = Parts(numbered(5), numbered(3, 10), numbered(4, 20))
    made = hold_out(parts, seed=0)
    assert (made.train, made.validation, made.test) == (parts.train, parts.validation, parts.test)
    assert targets(parts.everything()) == [0, 1, 2, 3, 4, 10, 11, 12, 20, 21, 22, 23]


@pytest.mark.parametrize(
    "recipe", sorted(SPLITS.keys() - {"whole", "text-order", "small"})
)  # two draw nothing, one wants 1,000 samples
def test_recipes_are_seeded_and_disjoint(recipe):
    n = 2_000 if recipe == "exp-alpha-digits" else 100
    parts = Parts(numbered(n), numbered(n, n))
    made, again, other = (make_split(parts, recipe, seed) for seed in (4, 4, 5))
    assert torch.equal(made.train.targets, again.train.targets)
    assert not torch.equal(made.train.targets, other.train.targets)
    every = targets(made.train, made.validation, made.test)
    assert len(set(every)) == len(every)
    assert (len(every) == 2 * n) is (recipe != "exp-alpha-digits")  # the digits' recipe leaves samples over


def test_each_group_is_cut_by_itself():
    groups = Groups("domain", torch.tensor([0] * 60 + [2] * 40), ("one", "nobody", "three"))
    made = per_group(domain_split, Parts(numbered(100, groups=groups)), seed=3)
    assert list(made) == ["one", "three"]
    assert targets(made["one"].train, made["one"].validation, made["one"].test) == list(range(60))
    assert sizes(made["three"]) == {"train": 22, "val": 10, "test": 8}
    assert made["three"].test.groups.index.tolist() == [2] * 8


@given(
    lengths=st.lists(st.integers(0, 60), min_size=1, max_size=4),
    gap=st.integers(0, 9),
    fractions=st.sampled_from([(0.8, 0.1, 0.1), (0.4, 0.3, 0.3)]),
)
def test_in_order_nothing_of_training_comes_near_the_rest(lengths, gap, fractions):
    index = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    if not len(index):
        return
    groups = Groups("speaker", index, tuple(map(str, range(len(lengths)))))
    data = numbered(len(index), groups=groups)
    expected = []
    for n in (n - 2 * gap for n in lengths):
        sizes_of = (round(fractions[0] * n), round(fractions[1] * n))
        sizes_of = (*sizes_of, n - sum(sizes_of))
        expected.append(sizes_of if min(sizes_of) >= 1 else (0, 0, 0))
    if not any(map(sum, expected)):
        with pytest.raises(ValueError, match="large enough for three parts"):
            split_in_order(data, gap, fractions)
        return
    made = split_in_order(data, gap, fractions)
    for group, sizes_of in enumerate(expected):
        train, validation, test = (
            part.targets[part.groups.index == group] for part in (made.train, made.validation, made.test)
        )
        assert (len(train), len(validation), len(test)) == sizes_of
        if len(train):
            assert validation.min() - train.max() == gap + 1
            assert test.min() - validation.max() == gap + 1


def test_windows_cut_in_order_share_no_character():
    """With a gap of length / stride windows, characters seen or asked for in training stay out of the rest."""
    text = "".join(chr(200 + i) for i in range(120))  # every character occurs once
    made = split_in_order(next_characters({"A": text}, length=6, stride=1), gap=6)
    seen = [set(part.tokens.flatten().tolist()) | set(part.labels.tolist()) for part in (made.train, made.validation)]
    later = set(made.test.tokens.flatten().tolist()) | set(made.test.labels.tolist())
    assert not seen[0] & seen[1]
    assert not (seen[0] | seen[1]) & later
    close = split_in_order(next_characters({"A": text}, length=6, stride=1), gap=5)
    assert set(close.train.labels.tolist()) & set(close.validation.tokens.flatten().tolist())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hold_out(Parts(numbered(9)), 0), "'numbered' has no official test part; use split"),
        (
            lambda: hold_out(Parts(numbered(9), numbered(9)), 0, (0, 10)),
            r"validation=\(0, 10\)\): expected \(a, b\) with 0",
        ),
        (lambda: hold_out(Parts(numbered(9), numbered(9)), 0, (10, 10)), "the fraction a/b"),
        (lambda: hold_out(Parts(numbered(1), numbered(9)), 0), r"cut to parts of \(0, 1\); every part needs >= 1"),
        (lambda: cut(numbered(9), 0, (5, 5)), r"cut to parts of \(5, 5\).* together <= 9 samples"),
        (lambda: domain_split(Parts(numbered(1)), 0), "every part needs >= 1"),
        (lambda: digits_split(Parts(numbered(1000)), 0), r"\(892, 595, 200\).* together <= 1000"),
        (lambda: per_group(efl_split, Parts(numbered(9)), 0), "samples of 'numbered' have no group"),
        (lambda: split_in_order(numbered(9)), "samples of 'numbered' have no group; expected speakers"),
        (lambda: split_in_order(numbered(9), gap=-1), r"gap=-1\): must be >= 0"),
        (lambda: split_in_order(numbered(9), 0, (0.5, 0.5, 0.5)), r"split_in_order\(fractions=.* sum to 1"),
        (lambda: split_in_order(numbered(2, groups=ONE)), r"gap=0\): no group of 'numbered' is large enough"),
        (lambda: make_split(Parts(numbered(9)), "elf", 0), "unknown split 'elf'; nearest: efl"),
    ],
)
def test_errors_name_what_was_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
