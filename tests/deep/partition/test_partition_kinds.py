from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deep.partition import (
    PARTITIONS,
    Classes,
    Clients,
    Dirichlet,
    DirichletClients,
    Domains,
    Flipped,
    HalfBalanced,
    Holdings,
    Iid,
    Imbalance,
    Shards,
    Speakers,
    Stratified,
    Users,
    describe,
    divide,
    flip,
    imbalanced_counts,
    partition_counts,
)
from deep.partition.checks import check_parts
from deep.partition.kinds.flips import n_flipped
from deep.partition.sizes import deal, exponential_profile, members, rounded

TEN = np.arange(2000) % 10
SHUFFLED = np.random.default_rng(0).permutation(TEN)

# One of each, on 2,000 balanced samples of ten classes in 20 groups, with 20 clients; whether all samples are used.
EVERY = {
    "iid": (Iid(), True),
    "stratified": (Stratified(sigma=1.0, min_size=5), True),
    "dirichlet": (Dirichlet(beta=0.2, min_size=3), True),
    "dirichlet-clients": (DirichletClients(beta=0.2), True),
    "classes": (Classes(m=3), True),
    "shards": (Shards(per_client=3, unequal=True), True),
    "imbalance": (Imbalance(ratio=0.05), True),
    "half-balanced": (HalfBalanced(rounding="nearest"), True),
    "flipped": (Flipped(base=Dirichlet(0.2)), True),
    "clients": (Clients(), True),
    "domains": (Domains(), True),
    "speakers": (Speakers(), True),
    "users": (Users(), True),
}
GROUPS = np.random.default_rng(1).permutation(np.arange(2000) % 20)


def test_every_registered_partition_is_tried_here():
    assert set(EVERY) == set(PARTITIONS)
    assert all(type(partition) is PARTITIONS[name] for name, (partition, _) in EVERY.items())


@pytest.mark.parametrize("name", EVERY)
def test_every_partition_keeps_its_promises(name):
    partition, covers = EVERY[name]
    one, again = (divide(partition, SHUFFLED, 20, 7, GROUPS) for _ in range(2))
    check_parts(name, one.parts, SHUFFLED.size, 20)
    assert all(np.array_equal(a, b) for a, b in zip(one.parts, again.parts, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(one.labels, again.labels, strict=True))
    assert all(np.all(np.diff(part) > 0) for part in one.parts)
    assert (describe(one, SHUFFLED, 10).n_unused == 0) == covers
    assert one.clients == tuple(range(20))
    if name not in {"clients", "domains", "speakers", "users"}:  # 20 of 20 groups leave nothing to draw
        other = divide(partition, SHUFFLED, 20, 8, GROUPS)
        assert not all(np.array_equal(a, b) for a, b in zip(one.parts, other.parts, strict=True))


@pytest.mark.parametrize("name", EVERY)
def test_every_partition_refuses_labels_that_are_none(name):
    partition, _ = EVERY[name]
    for labels in (np.array([], dtype=int), np.array([0.5, 1.0]), np.zeros((2, 2), dtype=int)):
        with pytest.raises(ValueError, match=r"expected integers \(n,\), n >= 1"):
            partition.parts(labels, 2, 0, np.zeros(labels.shape))
    with pytest.raises(ValueError, match=r"n_clients=0\): must be >= 1"):
        partition.parts(TEN, 0, 0, GROUPS)


@given(
    labels=st.lists(st.integers(-3, 4), min_size=2, max_size=90),
    n_clients=st.integers(1, 12),
    seed=st.integers(0, 2**32),
    partition=st.one_of(
        st.just(Iid()),
        st.builds(Stratified, st.floats(0, 10), st.integers(1, 3)),
        st.builds(DirichletClients, st.floats(5e-324, 1e6)),
        st.builds(Classes, st.integers(1, 5), st.booleans()),
        st.builds(Shards, st.integers(2, 5), st.booleans()),
        st.builds(Imbalance, st.floats(1e-6, 1), st.sampled_from(["given", "rotated", "random"])),
        st.builds(HalfBalanced, st.floats(1e-3, 10)),
        st.builds(Flipped, corruption=st.floats(0, 1), by=st.sampled_from(["classes", "samples"])),
    ),
)
@settings(max_examples=300)
def test_whatever_the_labels_it_divides_or_says_why_not(labels, n_clients, seed, partition):
    labels = np.array(labels)
    try:
        held = divide(partition, labels, n_clients, seed)  # checks that parts are full, inside and disjoint
    except ValueError as error:
        assert str(error).startswith((type(partition).__name__, "Iid(", "flip:", "dirichlet_partition("))  # noqa: PT017
        return
    assert len(held.parts) == n_clients
    used = np.concatenate(held.parts)
    if not isinstance(partition, Imbalance) and not (isinstance(partition, Classes) and partition.equal):
        assert used.size == labels.size
    if isinstance(partition, Classes):
        assert all(np.unique(own).size == partition.m for own in held.labels)


def test_iid_sizes_differ_by_at_most_one():
    sizes = [part.size for part in Iid().parts(TEN[:1003], 10, 0)]
    assert sorted(sizes) == [100] * 7 + [101] * 3


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    window=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_any_run_of_a_dealt_deck_is_shared_out_fairly(sizes, window):
    sizes = np.array(sizes)
    dealt = deal(sizes)
    n = dealt.size
    low, high = (round(n * x) for x in sorted(window))
    got = np.bincount(dealt[low:high], minlength=sizes.size)
    assert np.array_equal(np.bincount(dealt, minlength=sizes.size), sizes)
    assert np.all(np.abs(got - (high - low) * sizes / n) <= 1 + sizes / sizes.mean() + 1e-9)


def test_cards_are_dealt_in_the_middle_of_their_stretch():
    assert deal(np.array([3, 1])).tolist() == [0, 0, 1, 0]


def test_stratified_sizes_differ_and_labels_do_not():
    parts = Stratified(sigma=1.0, min_size=20).parts(SHUFFLED, 20, 0)
    counts = partition_counts(SHUFFLED, parts, 10)
    sizes = counts.sum(axis=1)
    assert sizes.min() >= 20
    assert sizes.max() > 3 * sizes.min()
    assert np.all(np.abs(counts - sizes[:, None] / 10) <= 1 + sizes[:, None] / sizes.mean())
    equal = Stratified(sigma=0.0).parts(SHUFFLED, 20, 0)
    assert [part.size for part in equal] == [100] * 20


def test_sigma_is_the_deviation_of_the_log_sizes():
    parts = Stratified(sigma=0.7).parts(np.zeros(1_000_000, dtype=int), 2000, 3)
    spread = np.std(np.log([part.size for part in parts]))
    assert spread == pytest.approx(0.7, abs=0.04)  # sd of a sample deviation of 2,000 normals: 0.011


def test_niid_1_gives_every_class_to_one_client():
    counts = partition_counts(SHUFFLED, Classes(m=2).parts(SHUFFLED, 5, 0), 10)
    assert np.all((counts > 0).sum(axis=1) == 2)
    assert np.all((counts > 0).sum(axis=0) == 1)
    assert np.all(counts.sum(axis=1) == 400)


@given(n_clients=st.integers(1, 30), m=st.integers(1, 10), seed=st.integers(0, 99))
def test_classes_are_spread_evenly_over_clients(n_clients, m, seed):
    if n_clients * m < 10:
        with pytest.raises(ValueError, match=rf"some would have no client; take m >= {-(-10 // n_clients)}"):
            Classes(m).parts(SHUFFLED, n_clients, seed)
        return
    holds = partition_counts(SHUFFLED, Classes(m).parts(SHUFFLED, n_clients, seed), 10) > 0
    assert np.all(holds.sum(axis=1) == m)
    assert np.ptp(holds.sum(axis=0)) <= 1


def test_equal_classes_give_equal_sizes_and_say_what_is_unused():
    labels = np.repeat([0, 1, 2, 3], [40, 50, 60, 71])
    held = divide(Classes(m=2, equal=True), labels, 4, 0)
    report = describe(held, labels, 4)
    assert report.sizes.tolist() == [40] * 4  # the smallest class, 40 over two holders, twice
    assert report.n_unused == 221 - 160
    assert describe(divide(Classes(m=2), labels, 4, 0), labels, 4).n_unused == 0


def test_shards_are_contiguous_runs_of_the_sorted_labels():
    parts = Shards(per_client=2).parts(SHUFFLED, 20, 0)
    assert [part.size for part in parts] == [100] * 20
    # 40 shards of 50 over ten classes of 200: no shard crosses a class, so two shards show at most two classes.
    assert all(np.unique(SHUFFLED[part]).size <= 2 for part in parts)


def test_unequal_shards_leave_everyone_at_least_one():
    parts = Shards(per_client=4, unequal=True).parts(SHUFFLED, 20, 0)
    shards = np.array([part.size for part in parts]) / 25
    assert np.array_equal(shards, shards.round())
    assert shards.sum() == 80
    assert shards.min() >= 1
    assert np.ptp(shards) >= 2


@given(ratio=st.floats(1e-4, 1), n_classes=st.integers(1, 30), size=st.integers(1, 4000), client=st.integers(0, 40))
def test_an_exponential_profile_has_its_ratio(ratio, n_classes, size, client):
    profile = exponential_profile(ratio, n_classes)
    assert profile.sum() == pytest.approx(1, abs=1e-12)  # thirty roundings
    assert profile[-1] / profile[0] == pytest.approx(ratio if n_classes > 1 else 1, rel=1e-12)
    for order in ("given", "rotated", "random"):
        counts = imbalanced_counts(ratio, n_classes, size, order, client, seed=0)
        assert counts.sum() == size
        assert np.all(np.abs(np.sort(counts) - size * np.sort(profile)) <= 1)
    assert np.all(np.diff(imbalanced_counts(ratio, n_classes, size, "given", client, 0)) <= 0)
    rotated = imbalanced_counts(ratio, n_classes, size, "rotated", client, 0)
    given_order = imbalanced_counts(ratio, n_classes, size, "given", client, 0)
    assert np.abs(rotated - np.roll(given_order, client)).max() <= 1  # equal remainders may round the other way


def test_imbalanced_clients_have_one_size_and_their_own_ratio():
    labels = np.arange(60_000) % 10
    ratios = (1.0, 0.1, 0.01)
    counts = partition_counts(labels, Imbalance(ratio=ratios, order="given", size=3000).parts(labels, 3, 0), 10)
    assert counts.sum(axis=1).tolist() == [3000] * 3
    # Rounding moves the smallest class, 14 samples at ratio 0.01, by at most one.
    np.testing.assert_allclose(counts[:, -1] / counts[:, 0], ratios, rtol=0.05)


def test_the_largest_imbalance_is_not_exceeded_by_one_more():
    parts = Imbalance(ratio=0.01, order="random").parts(SHUFFLED, 10, 0)
    size = parts[0].size
    assert {part.size for part in parts} == {size}
    with pytest.raises(ValueError, match=rf"size={size + 1}\), n_clients=10: needs \d+ samples of class \d, has 200"):
        Imbalance(ratio=0.01, order="random", size=size + 1).parts(SHUFFLED, 10, 0)


def test_rotated_imbalance_uses_balanced_data_up():
    assert describe(divide(Imbalance(0.05), SHUFFLED, 20, 0), SHUFFLED, 10).n_unused == 0


@given(
    labels=st.lists(st.integers(0, 9), min_size=1, max_size=50),
    flip_ratio=st.floats(0.05, 1),
    by=st.sampled_from(["classes", "samples"]),
    seed=st.integers(0, 999),
)
def test_a_flip_makes_the_labels_of_its_classes_wrong_and_no_other(labels, flip_ratio, by, seed):
    labels, classes = np.array(labels) * 3, np.arange(10) * 3
    flipped = flip(labels, classes, flip_ratio, by, np.random.default_rng(seed))
    assert np.all(np.isin(flipped, classes))
    wrong = {int(c) for c in labels[flipped != labels]}
    right = {int(c) for c in labels[flipped == labels]}
    assert not wrong & right
    assert len(wrong) <= n_flipped(flip_ratio, 10)
    assert len(right) <= 10 - n_flipped(flip_ratio, 10)
    if by == "classes":
        assert all(np.unique(flipped[labels == c]).size == 1 for c in wrong)


def test_flips_by_samples_reach_every_other_class():
    flipped = flip(np.zeros(9000, dtype=int), np.arange(10), 1.0, "samples", np.random.default_rng(0))
    counts = np.bincount(flipped, minlength=10)
    assert counts[0] == 0
    assert np.all(np.abs(counts[1:] - 1000) < 5 * np.sqrt(1000 * 8 / 9))  # five standard deviations of a binomial


@pytest.mark.parametrize(
    ("ratio", "n", "expected"), [(1.0, 10, 10), (0.5, 10, 5), (0.1, 10, 1), (0.25, 10, 3), (0, 10, 0)]
)
def test_the_number_of_flipped_classes_is_ratio_times_classes(ratio, n, expected):
    assert n_flipped(ratio, n) == expected


def test_corrupted_clients_are_a_chance_or_an_exact_share():
    chance = [Flipped(corruption=1 / 3).corrupted(6, seed).sum() for seed in range(600)]
    assert np.mean(chance) == pytest.approx(2, abs=5 * np.sqrt(6 * 2 / 9 / 600))  # five standard errors
    assert len(set(chance)) > 3
    assert {int(Flipped(corruption=2 / 3, exact=True).corrupted(6, seed).sum()) for seed in range(50)} == {4}


def test_every_corrupted_client_has_its_own_wrong_labels():
    held = divide(Flipped(corruption=1.0), SHUFFLED, 10, 0)
    firsts = [own[SHUFFLED[part] == 0] for part, own in zip(held.parts, held.labels, strict=True)]
    assert all(np.unique(first).size == 1 for first in firsts)
    assert len({int(first[0]) for first in firsts}) > 2


def test_flipped_holdings_keep_the_parts_of_their_base():
    base = Classes(m=2)
    held = divide(Flipped(base=base, corruption=0.5, exact=True), SHUFFLED, 10, 3)
    assert all(np.array_equal(a, b) for a, b in zip(held.parts, base.parts(SHUFFLED, 10, 3), strict=True))
    for part, own, kind in zip(held.parts, held.labels, held.kinds, strict=True):
        assert kind in {"clean", "flipped=1"}
        assert np.all(own == SHUFFLED[part]) if kind == "clean" else np.all(own != SHUFFLED[part])
    assert sum(kind != "clean" for kind in held.kinds) == 5


def test_domains_are_whole_and_in_order():
    names = np.array(["webcam", "amazon", "dslr", "amazon", "webcam", "amazon"])
    parts = Domains().parts(np.zeros(6, dtype=int), 3, 0, names)
    assert [part.tolist() for part in parts] == [[1, 3, 5], [2], [0, 4]]


@pytest.mark.parametrize("kind", [Speakers, Users])
def test_speakers_and_users_are_drawn_whole_among_the_large_enough(kind):
    groups = np.repeat(np.arange(12), [4] * 4 + [5, 6, 7, 8] * 2)
    drawn = set()
    for seed in range(30):
        parts = kind(min_size=5).parts(np.zeros(groups.size, dtype=int), 3, seed, groups)
        whose = [set(groups[part].tolist()) for part in parts]
        assert all(len(one) == 1 for one in whose)
        assert all(part.size == (groups == groups[part[0]]).sum() >= 5 for part in parts)
        drawn |= set.union(*whose)
    assert drawn == set(range(4, 12))


def test_half_of_the_clients_is_balanced_and_half_is_not():
    report = describe(divide(HalfBalanced(beta=0.1), SHUFFLED, 20, 0), SHUFFLED, 10)
    assert report.sizes[:10].tolist() == [100] * 10
    assert np.all(np.abs(report.counts[:10] - 10) <= 2)
    assert report.distances[:10].max() < 0.1 < report.distances[10:].min()
    assert report.sizes[10:].sum() == 1000
    assert len(HalfBalanced().parts(SHUFFLED, 5, 0)) == 5


def test_dirichlet_clients_have_one_size_and_beta_is_their_skew():
    def skew(beta: float) -> float:
        report = describe(divide(DirichletClients(beta), SHUFFLED, 20, 0), SHUFFLED, 10)
        assert set(report.sizes.tolist()) == {100}
        return report.skew

    assert skew(0.01) > skew(0.3) > skew(10.0) > skew(1e6)


@given(total=st.integers(0, 10**6), weights=st.lists(st.floats(1e-9, 1), min_size=1, max_size=40))
def test_rounding_keeps_the_total_and_moves_nothing_by_more_than_one(total, weights):
    shares = np.array(weights) / np.sum(weights)
    counts = rounded(total, shares)
    assert counts.sum() == total
    assert np.all(np.abs(counts - total * shares) <= 1)


def test_members_are_the_indices_of_each_class():
    labels = np.array([7, -1, 7, 3, -1])
    assert [m.tolist() for m in members(labels, np.unique(labels))] == [[1, 4], [3], [0, 2]]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Stratified(sigma=-1.0), r"Stratified\(sigma=-1.0\): must be a number in \[0, 10\]"),
        (lambda: Stratified(sigma=float("nan")), r"sigma=nan"),
        (lambda: Stratified(min_size=0), r"Stratified\(min_size=0\): must be an integer >= 1"),
        (lambda: Dirichlet(beta=0), r"Dirichlet\(beta=0\): must be a number in \(0, 1e\+06\]"),
        (lambda: Dirichlet(beta="0.3"), r"Dirichlet\(beta='0.3'\)"),
        (lambda: Dirichlet(min_size=True), r"min_size=True"),
        (lambda: DirichletClients(beta=2e6), r"DirichletClients\(beta=2000000.0\)"),
        (lambda: Classes(m=2.0), r"Classes\(m=2.0\): must be an integer >= 1"),
        (lambda: Classes(equal=1), r"Classes\(equal=1\): must be true or false"),
        (lambda: Shards(per_client=0), r"Shards\(per_client=0\)"),
        (lambda: Shards(unequal="yes"), r"unequal='yes'"),
        (lambda: Shards(per_client=1, unequal=True), r"no shard is left to make clients unequal; take >= 2"),
        (lambda: Imbalance(ratio=0.0), r"Imbalance\(ratio=0.0\): must be a number in \(0, 1\]"),
        (lambda: Imbalance(ratio=(0.1, 2.0)), r"must be a list of numbers in \(0, 1\]"),
        (lambda: Imbalance(ratio=()), r"at least one"),
        (lambda: Imbalance(order="up"), r"Imbalance\(order='up'\): must be one of given, rotated, random"),
        (lambda: Imbalance(size=0), r"Imbalance\(size=0\)"),
        (lambda: Flipped(base="iid"), r"Flipped\(base='iid'\): must be a partition that flips no labels itself"),
        (lambda: Flipped(base=Flipped()), r"flips no labels itself"),
        (lambda: Flipped(corruption=1.5), r"Flipped\(corruption=1.5\): must be a number in \[0, 1\]"),
        (lambda: Flipped(flip_ratio=-0.1), r"flip_ratio=-0.1"),
        (lambda: Flipped(exact=None), r"exact=None"),
        (lambda: Flipped(by="class"), r"Flipped\(by='class'\): must be one of classes, samples"),
        (lambda: Speakers(min_size=0), r"Speakers\(min_size=0\)"),
        (lambda: Users(min_size=-1), r"Users\(min_size=-1\)"),
        (lambda: HalfBalanced(beta=0), r"HalfBalanced\(beta=0\)"),
        (lambda: HalfBalanced(min_size=0), r"HalfBalanced\(min_size=0\)"),
        (lambda: imbalanced_counts(0.1, 10, 100, "up", 0, 0), r"imbalanced_counts\(order='up'\)"),
        (lambda: flip(TEN, np.arange(10), 1.0, "class", np.random.default_rng(0)), r"flip\(by='class'\)"),
        (lambda: flip(TEN, np.arange(1), 1.0, "classes", np.random.default_rng(0)), r"expected at least 2 classes"),
        (lambda: n_flipped(0.01, 10), r"flip\(flip_ratio=0.01\): 10 classes, so it flips none; take 0 or >= 0.05"),
    ],
)
def test_settings_out_of_range_are_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("partition", "n_clients", "groups", "message"),
    [
        (Iid(), 2001, None, r"Iid\(n_clients=2001, min_size=1\): needs 2001 samples, has 2000"),
        (Stratified(min_size=101), 20, None, "needs 2020 samples, has 2000"),
        (Classes(m=11), 20, None, r"Classes\(m=11\), n_clients=20: the labels have only 10 classes"),
        (Classes(m=10), 201, None, "has 200 samples for 201 clients"),
        (Shards(per_client=101), 20, None, "2020 shards of 2000 samples"),
        (Imbalance(ratio=(0.1, 0.1)), 3, None, "2 ratios for n_clients=3"),
        (Imbalance(ratio=1e-6, order="given"), 400, None, "not even one sample each fits"),
        (Domains(), 20, None, r"Domains: needs groups, one per sample"),
        (Domains(), 20, GROUPS[:5], r"Domains\(groups=…\): shape \(5,\); expected \(2000,\)"),
        (Domains(), 5, GROUPS, r"n_clients=5: the data have 20 domains; one client each"),
        (Speakers(min_size=101), 1, GROUPS, r"Speakers\(min_size=101\), n_clients=1: only 0 groups"),
        (Users(), 21, GROUPS, r"Users\(min_size=1\), n_clients=21: only 20 groups"),
        (HalfBalanced(), 1, None, r"HalfBalanced\(\), n_clients=1: must be >= 2"),
    ],
)
def test_what_cannot_be_divided_says_why(partition, n_clients, groups, message):
    with pytest.raises(ValueError, match=message):
        divide(partition, SHUFFLED, n_clients, 0, groups)


class Given:
    """A foreign partition that answers with what it was given."""

    def __init__(self, *parts):
        self.answer = tuple(np.asarray(part) for part in parts)

    def parts(self, labels, n_clients, seed, groups=None):
        return self.answer

    def __repr__(self):
        return "Given()"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([0],), r"divide\(Given\(\)\): 1 parts for n_clients=2"),
        (([0], np.array([], dtype=int)), r"client 1 holds int64 of shape \(0,\)"),
        (([0], [1.0]), "client 1 holds float64"),
        (([0], [2, 12]), "client 1 holds 2 to 12; expected 0 to 9"),
        (([0], [-1]), "client 1 holds -1 to -1"),
        (([0, 3], [3]), "sample 3 is held 2 times; parts must not overlap"),
    ],
)
def test_a_foreign_partition_is_checked(parts, message):
    with pytest.raises(ValueError, match=message):
        divide(Given(*parts), np.arange(10), 2, 0)


def test_holdings_can_be_selected():
    held = divide(Flipped(corruption=0.5, exact=True), SHUFFLED, 6, 0)
    some = held.select(np.array([4, 1]))
    assert isinstance(some, Holdings)
    assert some.clients == (4, 1)
    assert some.kinds == (held.kinds[4], held.kinds[1])
    assert np.array_equal(some.parts[0], held.parts[4])
    assert np.array_equal(some.labels[1], held.labels[1])
