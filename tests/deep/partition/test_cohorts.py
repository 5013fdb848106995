from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deep.partition import (
    COHORTS,
    RATIOS,
    Classes,
    Composition,
    Domains,
    FlippedCohorts,
    ImbalancedCohorts,
    Population,
    divide,
)
from theory.participation.sampling import UniformWithoutReplacement

LABELS = np.random.default_rng(0).permutation(np.arange(5000) % 10)
FRESH = [ImbalancedCohorts(size=100), Composition(size=100), FlippedCohorts(size=100)]
SOURCES = [Population(Classes(2), 20, 4), *FRESH]


def counts_of(holdings) -> np.ndarray:
    return np.stack([np.bincount(own, minlength=10) for own in holdings.labels])


def same(one, other) -> bool:
    pairs = zip((*one.parts, *one.labels), (*other.parts, *other.labels), strict=True)
    return one.clients == other.clients and one.kinds == other.kinds and all(np.array_equal(a, b) for a, b in pairs)


def test_every_registered_source_is_tried_here():
    assert {type(source) for source in SOURCES} == set(COHORTS.values())


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_a_cohort_follows_from_seed_and_round_alone(source):
    first = source.cohort(3, 7, LABELS)
    source.cohort(4, 7, LABELS)
    assert same(source.cohort(3, 7, LABELS), first)
    assert not same(source.cohort(4, 7, LABELS), first)
    assert not same(source.cohort(3, 8, LABELS), first)


@pytest.mark.parametrize("source", FRESH, ids=repr)
def test_fresh_clients_are_numbered_on_equal_in_size_and_repeat_no_sample(source):
    one, two = source.cohort(0, 0, LABELS), source.cohort(1, 0, LABELS)
    n = source.n_clients
    assert (one.clients, two.clients) == (tuple(range(n)), tuple(range(n, 2 * n)))
    for part in one.parts:
        assert part.size == 100 == np.unique(part).size
        assert np.all(np.diff(part) > 0)
    assert not any(np.array_equal(a, b) for a in one.parts for b in two.parts)


def test_a_population_keeps_its_clients_and_samples_them_as_the_theory_does():
    source = Population(Classes(2), n_clients=20, n_sampled=4)
    everyone = source.everyone(5, LABELS)
    assert same(everyone, divide(Classes(2), LABELS, 20, 5))
    law, seen = UniformWithoutReplacement(4), set()
    for round_index in range(40):
        cohort = source.cohort(round_index, 5, LABELS)
        assert cohort.clients == tuple(np.flatnonzero(law.cohort(5, round_index, 20)))
        assert all(np.array_equal(p, everyone.parts[k]) for k, p in zip(cohort.clients, cohort.parts, strict=True))
        seen |= set(cohort.clients)
    assert seen == set(range(20))


def test_a_population_hands_groups_on():
    groups = np.arange(5000) % 3
    cohort = Population(Domains(), n_clients=3, n_sampled=2).cohort(0, 0, LABELS, groups)
    assert [set((part % 3).tolist()) for part in cohort.parts] == [{k} for k in cohort.clients]


def test_ratios_are_drawn_uniformly_and_anew_each_round():
    source = ImbalancedCohorts(n_clients=10, size=50)
    kinds = [kind for r in range(210) for kind in source.cohort(r, 0, LABELS).kinds]
    times = {f"ratio={ratio:g}": kinds.count(f"ratio={ratio:g}") for ratio in RATIOS}
    assert sum(times.values()) == 2100
    assert all(abs(n - 300) < 5 * np.sqrt(300 * 6 / 7) for n in times.values())  # five standard deviations


def test_a_client_has_the_counts_of_its_ratio():
    labels = np.arange(100_000) % 10
    cohort = Composition(ratios=(1.0, 0.1, 0.01), counts=(1, 1, 1), size=3000).cohort(2, 0, labels)
    counts = counts_of(cohort)
    assert counts[0].tolist() == [300] * 10
    np.testing.assert_allclose(counts[:, -1] / counts[:, 0], [1.0, 0.1, 0.01], rtol=0.05)  # 14 samples ± 1
    assert np.all(np.diff(counts, axis=1) <= 0)


def test_the_default_composition_is_that_of_the_figure():
    source = Composition(size=100)
    assert source.n_clients == 10
    assert source.cohort(0, 0, LABELS).kinds == ("ratio=1",) * 4 + ("ratio=0.01",) * 3 + ("ratio=0.1",) * 3


def test_orders_say_which_class_is_the_largest():
    def largest(order: str) -> list[int]:
        return (
            counts_of(replace(ImbalancedCohorts(ratios=(0.1,), size=200), order=order).cohort(1, 0, LABELS))
            .argmax(1)
            .tolist()
        )

    assert largest("given") == [0] * 10
    assert largest("rotated") == list(range(10))
    assert len(set(largest("random"))) > 3


def test_a_third_of_the_fresh_clients_is_flipped_in_every_label():
    source = FlippedCohorts(size=50)
    n_bad = []
    for round_index in range(200):
        cohort = source.cohort(round_index, 0, LABELS)
        wrong = [int((own != LABELS[part]).sum()) for part, own in zip(cohort.parts, cohort.labels, strict=True)]
        assert wrong == [50 if kind == "flipped=1" else 0 for kind in cohort.kinds]
        assert all(np.all(np.bincount(LABELS[part]) == 5) for part in cohort.parts)
        n_bad.append(sum(kind != "clean" for kind in cohort.kinds))
    assert np.mean(n_bad) == pytest.approx(2, abs=5 * np.sqrt(6 * 2 / 9 / 200))  # five standard errors
    assert max(n_bad) > 3


@pytest.mark.parametrize(("corruption", "n_bad"), [(1 / 3, 2), (2 / 3, 4)])
@pytest.mark.parametrize(("flip_ratio", "wrong"), [(1.0, 50), (0.1, 5)])
def test_the_fixed_corruptions_of_the_figure(corruption, n_bad, flip_ratio, wrong):
    source = FlippedCohorts(corruption=corruption, flip_ratio=flip_ratio, exact=True, size=50)
    who = set()
    for round_index in range(10):
        cohort = source.cohort(round_index, 0, LABELS)
        off = [int((own != LABELS[part]).sum()) for part, own in zip(cohort.parts, cohort.labels, strict=True)]
        assert sorted(off) == [0] * (6 - n_bad) + [wrong] * n_bad
        who |= {tuple(off)}
    assert len(who) > 1


def test_flips_of_samples_stay_wrong():
    cohort = FlippedCohorts(corruption=1.0, size=50, by="samples").cohort(0, 0, LABELS)
    assert all(np.all(own != LABELS[part]) for part, own in zip(cohort.parts, cohort.labels, strict=True))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Population(partition="iid"), r"Population\(partition='iid'\): must be a partition"),
        (lambda: Population(n_clients=0), r"Population\(n_clients=0\)"),
        (lambda: Population(n_sampled=0), r"Population\(n_sampled=0\)"),
        (lambda: Population(n_clients=3, n_sampled=4), r"n_sampled=4\): must be <= n_clients=3"),
        (lambda: ImbalancedCohorts(n_clients=0), r"ImbalancedCohorts\(n_clients=0\)"),
        (lambda: ImbalancedCohorts(ratios=(0.0,)), r"ImbalancedCohorts\(ratios=\(0.0,\)\): must be a list of numbers"),
        (lambda: ImbalancedCohorts(ratios=0.1), r"ratios=0.1"),
        (lambda: ImbalancedCohorts(size=0), r"size=0"),
        (lambda: ImbalancedCohorts(order="up"), r"must be one of given, rotated, random"),
        (lambda: Composition(ratios=()), r"Composition\(ratios=\(\)\)"),
        (lambda: Composition(counts=(4, 6)), r"Composition\(counts=\(4, 6\)\): must be 3 integers >= 1, one per ratio"),
        (lambda: Composition(counts=(4, 0, 6)), r"counts=\(4, 0, 6\)"),
        (lambda: Composition(counts=10), r"counts=10"),
        (lambda: Composition(size=-1), r"Composition\(size=-1\)"),
        (lambda: Composition(order="down"), r"Composition\(order='down'\)"),
        (lambda: FlippedCohorts(n_clients=0), r"FlippedCohorts\(n_clients=0\)"),
        (lambda: FlippedCohorts(corruption=2), r"FlippedCohorts\(corruption=2\)"),
        (lambda: FlippedCohorts(flip_ratio=-1), r"FlippedCohorts\(flip_ratio=-1\)"),
        (lambda: FlippedCohorts(exact=1), r"FlippedCohorts\(exact=1\)"),
        (lambda: FlippedCohorts(size=0), r"FlippedCohorts\(size=0\)"),
        (lambda: FlippedCohorts(by="mirror"), r"FlippedCohorts\(by='mirror'\)"),
    ],
)
def test_settings_out_of_range_are_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("source", FRESH, ids=repr)
def test_labels_that_are_none_or_too_few_are_refused(source):
    with pytest.raises(ValueError, match=rf"{type(source).__name__}\(labels=…\): float64"):
        source.cohort(0, 0, LABELS / 2)
    with pytest.raises(
        ValueError, match=r"\(size=100\): a client of ratio \S+ needs \d+ samples of class \d, there are \d+; lower"
    ):
        source.cohort(0, 0, LABELS[:40])


def test_a_flip_needs_two_classes():
    with pytest.raises(ValueError, match="expected at least 2 classes"):
        FlippedCohorts(corruption=1.0, size=10).cohort(0, 0, np.zeros(50, dtype=int))
