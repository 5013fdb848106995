from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep.partition import (
    Classes,
    Exponential,
    Mixture,
    Skew,
    Uniform,
    divide,
    known_mixture,
    make_target,
    partition_counts,
    target_sample,
    target_weights,
)

TEST = np.random.default_rng(0).permutation(np.arange(10_000) % 10)
COUNTS = np.array([[30, 10, 0], [5, 5, 10]])


def test_uniform_is_uniform_whatever_the_clients_hold():
    assert Uniform().shares(COUNTS).tolist() == [1 / 3] * 3


def test_skew_is_the_distribution_of_one_client():
    assert Skew().shares(COUNTS).tolist() == [0.75, 0.25, 0.0]
    assert Skew(client=1).shares(COUNTS).tolist() == [0.25, 0.25, 0.5]


@given(rho=st.floats(1, 1e6), n_classes=st.integers(2, 100))
def test_an_exponential_target_falls_off_by_rho(rho, n_classes):
    shares = Exponential(rho).shares(np.ones((1, n_classes), dtype=int))
    assert shares.sum() == pytest.approx(1, abs=1e-12)  # a hundred roundings
    assert shares[0] / shares[-1] == pytest.approx(rho, rel=1e-9)
    assert np.allclose(shares[1:] / shares[:-1], rho ** (-1 / (n_classes - 1)), rtol=1e-9)
    assert np.array_equal(Exponential(rho, order="reversed").shares(np.ones((1, n_classes))), shares[::-1])


def test_rho_one_is_uniform():
    np.testing.assert_allclose(Exponential(1).shares(COUNTS), 1 / 3, rtol=1e-15)


def test_the_largest_exponential_sample_has_the_printed_counts():
    """n_c = n₁ ρ^(−(c−1)/(C−1)), rounded down, with n₁ = 1,000 the whole first class of a balanced test set."""
    shares = Exponential(100).shares(np.ones((1, 10), dtype=int))
    counts = np.bincount(TEST[target_sample(TEST, shares, seed=0)], minlength=10)
    assert counts.tolist() == [1000, 599, 359, 215, 129, 77, 46, 27, 16, 10]


def test_the_skew_of_niid_1_is_judged_on_all_samples_of_two_classes():
    counts = partition_counts(TEST, divide(Classes(m=2), TEST, 5, 0).parts, 10)
    drawn = target_sample(TEST, Skew().shares(counts), seed=0)
    own = np.flatnonzero(counts[0])
    assert np.array_equal(drawn, np.flatnonzero(np.isin(TEST, own)))


def test_the_uniform_sample_of_a_balanced_test_set_is_all_of_it():
    assert target_sample(TEST, Uniform().shares(np.ones((1, 10))), seed=3).size == 10_000


@given(
    weights=st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda w: sum(w) > 0.1),
    n_each=st.lists(st.integers(1, 40), min_size=6, max_size=6),
    seed=st.integers(0, 99),
)
def test_the_largest_sample_follows_the_target_and_cannot_grow(weights, n_each, seed):
    shares = np.array(weights) / np.sum(weights)
    available = np.array(n_each[: shares.size])
    labels = np.repeat(np.arange(shares.size), available)
    drawn = target_sample(labels, shares, seed)
    assert np.all(np.diff(drawn) > 0)
    assert np.array_equal(drawn, target_sample(labels, shares, seed))
    counts = np.bincount(labels[drawn], minlength=shares.size)
    assert np.all(counts <= available)
    largest = 1 / np.max(shares / available)
    assert np.all(np.abs(counts - np.floor(largest * shares)) <= 1)
    assert np.any(counts == available)


def test_a_sample_of_a_given_size_is_rounded_to_it():
    shares = np.array([0.5, 0.3, 0.2])
    labels = np.repeat([0, 1, 2], 50)
    drawn = target_sample(labels, shares, seed=0, size=33)
    assert np.bincount(labels[drawn]).tolist() == [16, 10, 7]  # 16.5, 9.9, 6.6: the largest remainders go up
    assert not np.array_equal(drawn, target_sample(labels, shares, seed=1, size=33))


@given(
    n_each=st.lists(st.integers(1, 30), min_size=3, max_size=3),
    weights=st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_weights_give_every_class_its_share_with_all_samples(n_each, weights):
    shares = np.array(weights) / np.sum(weights)
    labels = np.repeat([0, 1, 2], n_each)
    w = target_weights(labels, shares)
    assert w.shape == labels.shape
    assert w.sum() == pytest.approx(1, abs=1e-12)  # ninety roundings
    np.testing.assert_allclose(np.bincount(labels, weights=w), shares, rtol=1e-12)
    assert all(np.ptp(w[labels == c]) == 0 for c in range(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Skew(client=-1), r"Skew\(client=-1\): must be an integer >= 0"),
        (lambda: Skew(client=2).shares(COUNTS), r"Skew\(client=2\): there are 2 clients, counted from 0"),
        (lambda: Exponential(rho=0.5), r"Exponential\(rho=0.5\): must be a number in \[1, 1e9\]"),
        (lambda: Exponential(rho="100"), r"rho='100'"),
        (lambda: Exponential(rho=True), r"rho=True"),
        (lambda: Exponential(rho=float("inf")), r"rho=inf"),
        (lambda: Exponential(order="up"), r"Exponential\(order='up'\): must be one of given, reversed"),
        (lambda: Uniform().shares(np.ones(3)), r"Uniform.shares\(counts=…\): shape \(3,\)"),
        (lambda: Skew().shares(np.array([[0, 0], [1, 1]])), r"expected \(n_clients, n_classes\), no row zero"),
        (lambda: Exponential().shares(np.array([[-1, 2]])), r"Exponential.shares"),
        (lambda: target_weights(TEST / 2, np.ones(1)), r"target_weights\(labels=…\): float64"),
        (lambda: target_weights(TEST, np.ones(10)), r"must be numbers >= 0 with sum 1, one per class"),
        (lambda: target_weights(TEST, np.array([1.5, -0.5])), r"shares=\[1.5, -0.5\]"),
        (lambda: target_weights(TEST, np.array([np.nan, 1.0])), r"shares=\[nan, 1.0\]"),
        (lambda: target_weights(TEST, np.array([0.5, 0.5])), r"labels 0 to 9; expected 0 to 1"),
        (lambda: target_weights(TEST[TEST > 0], np.full(10, 0.1)), "class 0 has the share 0.1 and no test sample"),
        (lambda: target_sample(TEST, np.ones(10), 0), r"target_sample\(shares="),
        (lambda: target_sample(TEST, np.full(10, 0.1), 0, size=0), r"target_sample\(size=0\): must be an integer >= 1"),
        (lambda: target_sample(TEST, np.full(10, 0.1), 0, size=True), r"size=True"),
        (lambda: target_sample(TEST, np.full(10, 0.1), 0, size=2.5), r"size=2.5"),
        (
            lambda: target_sample(TEST, np.full(10, 0.1), 0, size=20_000),
            "needs 2000 samples of class 0, there are 1000; lower the size, or leave it out",
        ),
    ],
)
def test_errors_name_what_was_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_mixture_is_that_of_the_clients_classes():
    counts = np.array([[6, 2, 0], [0, 5, 5], [0, 0, 9]])
    found = Mixture((0.5, 0.4, 0.1)).shares(counts)
    np.testing.assert_allclose(found, [0.375, 0.125 + 0.2, 0.2 + 0.1], rtol=1e-15)
    np.testing.assert_allclose(Mixture((0.0, 1.0, 0.0)).shares(counts), Skew(1).shares(counts), rtol=1e-15)
    assert make_target("mixture(weights=[0.5, 0.4, 0.1])") == Mixture((0.5, 0.4, 0.1))


def test_what_is_known_of_a_target_as_a_mixture():
    assert known_mixture(Skew(1), 3).tolist() == [0, 1, 0]
    assert known_mixture(Mixture((0.5, 0.5)), 2).tolist() == [0.5, 0.5]
    assert known_mixture(Uniform(), 3) is None
    assert known_mixture(Skew(3), 3) is None


@pytest.mark.parametrize("weights", [(), (0.5, 0.4), (1.5, -0.5), ("a",), [1.0], (True,), (float("nan"), 1.0)])
def test_weights_that_mix_nothing(weights):
    with pytest.raises(ValueError, match=r"Mixture\(weights=.*sum 1, one per client"):
        Mixture(weights)


def test_a_mixture_of_other_clients():
    with pytest.raises(ValueError, match="2 weights; expected one for each of 3 clients"):
        Mixture((0.5, 0.5)).shares(np.ones((3, 2)))
