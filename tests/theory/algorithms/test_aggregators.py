"""Aggregators: equal to plain loops, blind to order and absent clients, moved by Byzantine clients as far as stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.theory.plain_aggregators import PLAIN
from tests.theory.planted import planted
from theory.algorithms import make_server
from theory.algorithms.aggregator import Sent
from theory.algorithms.aggregator_registry import aggregator_entries, make_aggregator
from theory.algorithms.server import Received
from theory.base.streams import stream
from theory.rules.stats import RoundStats

Floats = NDArray[np.float64]
CASES: list[tuple[str, dict[str, Any]]] = [
    ("bulyan", {"f": 0}),
    ("bulyan", {"f": 1}),
    ("bulyan", {"f": 2}),
    ("centred-clipping", {"radius": 1.5, "n_steps": 3}),
    ("clipped", {"radius": 2.0}),
    ("dp-fed-avg", {"clip": 2.0, "noise": 0.0}),
    ("geometric-median", {}),
    ("geometric-median", {"smoothing": 1.0, "n_steps": 3}),
    ("krum", {"f": 3}),
    ("mean-around-median", {"f": 0}),
    ("mean-around-median", {"f": 4}),
    ("median", {}),
    ("multi-krum", {"f": 2}),
    ("multi-krum", {"f": 2, "m": 3}),
    ("trimmed-mean", {"f": 0}),
    ("trimmed-mean", {"f": 4}),
]
NAMES = [f"{name}({', '.join(f'{n}={v}' for n, v in settings.items())})" for name, settings in CASES]
N, DIM, LARGE = 14, 5, 1e30


def rows_of(seed: int, n: int = N) -> Floats:
    """Updates with a common part, of different sizes."""
    rng = stream(seed, "test aggregators")
    drawn: Floats = 3 + rng.normal(size=(n, DIM)) * rng.uniform(0.5, 3, size=(n, 1))
    return drawn


def weights_of(seed: int, present: NDArray[np.bool_]) -> Floats:
    raw = np.where(present, stream(seed, "test weights").uniform(0.5, 2, size=present.shape), 0.0)
    return np.asarray(raw / raw.sum(-1, keepdims=True))


def combined(text: str, rows: Any, present: Any = None, weights: Any = None) -> Any:
    here = np.ones(rows.shape[:-1], dtype=bool) if present is None else present
    a = here / here.sum(-1, keepdims=True) if weights is None else weights
    return make_aggregator(text).combine(None, Sent(rows, here, a))[1]


def stepped(text: str, rows: Any, present: Any, weights: Any, wrap: Any = lambda x: x) -> Any:
    """The same through the server, which is given what absent clients hold."""
    stats = RoundStats.unchecked(share=wrap(weights), present=wrap(present), updates=wrap(rows))
    received = Received(wrap(np.zeros_like(rows[..., 0, :])), wrap(weights), None, stats)
    return make_server("aggregate", by=text).step(None, received)[1]


def test_every_aggregator_has_a_plain_loop_and_says_where_it_comes_from() -> None:
    entries = {entry.name: entry for entry in aggregator_entries()}
    assert set(entries) == set(PLAIN) == {name for name, _ in CASES}
    for entry in entries.values():
        made = make_aggregator(entry.name, **entry.example)
        assert type(made) is entry.build
        assert "Source:" in (type(made).__doc__ or "")
        assert entry.source
        assert entry.formula


@pytest.mark.parametrize(("name", "settings"), CASES, ids=NAMES)
def test_aggregators_equal_the_plain_loops_whoever_is_absent(name: str, settings: dict[str, Any]) -> None:
    rows = np.stack([rows_of(1), rows_of(2), rows_of(3)])
    present = np.ones((3, N), dtype=bool)
    present[1, [2, 7]] = present[2, 0] = False
    weights = weights_of(4, present)
    text = f"{name}({', '.join(f'{n}={v}' for n, v in settings.items())})"
    # Some hundred operations on numbers of size ten; Krum's distances only choose.
    found = stepped(text, np.where(present[..., None], rows, np.nan), present, weights)
    for row, here, a, one in zip(rows, present, weights, found, strict=True):
        np.testing.assert_allclose(one, PLAIN[name](row[here].tolist(), a[here].tolist(), **settings), atol=1e-12)


@pytest.mark.parametrize("text", NAMES)
def test_neither_order_nor_what_absent_clients_hold_matters(text: str) -> None:
    rows, present = rows_of(5), np.ones(N, dtype=bool)
    present[[3, 9]] = False
    weights, order = weights_of(6, present), stream(7, "test order").permutation(N)
    found = stepped(text, rows, present, weights)
    for junk in (np.nan, np.inf, -LARGE):
        held = np.where(present[:, None], rows, junk)
        np.testing.assert_array_equal(stepped(text, held, present, weights), found)
    np.testing.assert_allclose(stepped(text, rows[order], present[order], weights[order]), found, atol=1e-13)
    np.testing.assert_allclose(stepped(text, rows[present], present[present], weights[present]), found, atol=1e-13)


@pytest.mark.parametrize("text", NAMES)
def test_numpy_is_torch_in_both_precisions(text: str) -> None:
    rows, present = np.stack([rows_of(8), rows_of(9)]), np.ones((2, N), dtype=bool)
    present[1, 4] = False
    weights = weights_of(10, present)
    for dtype, atol in ((np.float64, 1e-13), (np.float32, 2e-5)):
        given = (rows.astype(dtype), present, weights.astype(dtype))
        ours, other = stepped(text, *given), stepped(text, *given, wrap=torch.from_numpy)
        assert ours.dtype == dtype
        assert other.numpy().dtype == dtype
        np.testing.assert_allclose(other.numpy(), ours, atol=atol)
        np.testing.assert_allclose(ours, stepped(text, *(rows, present, weights)), atol=max(atol, 1e-12))


def test_rows_of_clients_present_alone_are_taken_where_weights_are_theirs() -> None:
    """As deep runs hand them over: updates of all slots, weights of the clients present."""
    rows, present = rows_of(11), np.arange(N) % 3 > 0
    weights = weights_of(12, present)
    stats = RoundStats.unchecked(share=weights, present=present, updates=rows)
    server = make_server("aggregate(by=geometric-median)")
    _, step = server.step(None, Received(np.zeros(DIM), weights[present], None, stats))
    np.testing.assert_allclose(step, stepped("geometric-median", rows, present, weights), atol=1e-13)


def honest_spread(honest: Floats) -> Floats:
    return np.asarray(honest.max(0) - honest.min(0))


def inside(honest: Floats, found: Floats) -> bool:
    """Between the smallest and the largest honest value, in every coordinate."""
    return bool(((found >= honest.min(0) - 1e-9) & (found <= honest.max(0) + 1e-9)).all())


def near_median(honest: Floats, found: Floats) -> bool:
    """Within the spread of the honest values of them."""
    spread = honest_spread(honest)
    return bool(((found >= honest.min(0) - spread) & (found <= honest.max(0) + spread)).all())


def near_krum(honest: Floats, found: Floats) -> bool:
    """Within a few diameters of the honest updates: Blanchard et al. 2017, Lemma 1, has a factor of order n."""
    diameter = max(float(np.linalg.norm(one - other)) for one in honest for other in honest)
    return bool(np.linalg.norm(found - honest.mean(0)) <= 3 * diameter * len(honest) ** 0.5)


def near_geometric(honest: Floats, found: Floats) -> bool:
    """2(1 − α)/(1 − 2α)·max‖uₖ − c‖ for Byzantine weight α, with what the start at the median adds."""
    reach = float(np.linalg.norm(honest - honest.mean(0), axis=-1).max())
    return bool(np.linalg.norm(found - honest.mean(0)) <= 4 * (len(honest) / N) / (2 * len(honest) / N - 1) * reach)


BREAKDOWN: list[tuple[str, int, Any]] = [
    ("median", 6, inside),
    ("trimmed-mean(f=4)", 4, inside),
    ("mean-around-median(f=4)", 4, near_median),
    ("bulyan(f=2)", 2, near_median),
    ("krum(f=5)", 5, near_krum),
    ("multi-krum(f=5)", 5, near_krum),
    ("geometric-median", 6, near_geometric),
]


def attacked(honest: Floats, n_bad: int, seed: int, how: str) -> Floats:
    """`honest`, the first `n_bad` of them replaced by updates of any size."""
    rng, rows = stream(seed, "test attack"), honest.copy()
    size = 10 ** rng.uniform(0, 30)
    bad = {
        "same": np.full((n_bad, DIM), size),
        "apart": size * rng.normal(size=(n_bad, DIM)),
        "close": honest[n_bad:].mean(0) - rng.uniform(0, 3) * honest[n_bad:].std(0) + np.zeros((n_bad, DIM)),
    }[how]
    rows[:n_bad] = bad
    return rows


CLIPPED = ("centred-clipping", "clipped", "dp-fed-avg")  # no breakdown point: bounded whoever attacks, tested below


def test_every_aggregator_has_its_breakdown_point_or_its_bound_tested() -> None:
    broken = [text.partition("(")[0] for text, _, _ in BREAKDOWN]
    assert sorted([*broken, *CLIPPED]) == sorted(entry.name for entry in aggregator_entries())
    assert make_aggregator("bulyan(f=4)").fewest == 4 * 4 + 3


@pytest.mark.parametrize(("text", "f", "bounded"), BREAKDOWN, ids=[text for text, _, _ in BREAKDOWN])
def test_up_to_the_breakdown_point_byzantine_clients_move_it_no_further_than_stated(
    text: str, f: int, bounded: Any
) -> None:
    for seed in range(20):
        for how in ("same", "apart", "close"):
            rows = attacked(rows_of(100 + seed), f, seed, how)
            assert bounded(rows[f:], combined(text, rows)), (seed, how)


@pytest.mark.parametrize(
    ("text", "n_bad"),
    [
        ("median", 8),
        ("trimmed-mean(f=4)", 5),
        ("mean-around-median(f=4)", 8),
        ("geometric-median", 8),
        ("krum(f=5)", 10),
        ("multi-krum(f=5)", 10),
        ("bulyan(f=2)", 11),
    ],
)
def test_beyond_the_breakdown_point_they_take_it_anywhere(text: str, n_bad: int) -> None:
    for size in (1e3, 1e6, 1e12):
        rows = rows_of(13)
        rows[:n_bad] = size
        assert np.linalg.norm(combined(text, rows)) > size / 20


def test_one_byzantine_client_takes_a_mean_anywhere_and_a_clipped_mean_nowhere() -> None:
    honest = rows_of(14)
    for size in (1e3, 1e15, LARGE):
        rows = honest.copy()
        rows[0] = size
        assert np.linalg.norm(combined("trimmed-mean(f=0)", rows)) > size / 20
        for text in ("clipped(radius=2)", "centred-clipping(radius=2)", "dp-fed-avg(clip=2, noise=0)"):
            moved = np.linalg.norm(combined(text, rows) - combined(text, honest))
            assert moved <= 2 * 2 / N * (1 + 1e-9)
            assert moved > 1e-3


def test_the_geometric_median_makes_the_sum_of_distances_least() -> None:
    rows, a = rows_of(15), weights_of(16, np.ones(N, dtype=bool))
    found = combined("geometric-median(n_steps=200)", rows, weights=a)
    unit = (rows - found) / np.linalg.norm(rows - found, axis=-1, keepdims=True)
    np.testing.assert_allclose(a @ unit, 0, atol=1e-6)  # linear convergence, 200 steps


def test_krum_takes_the_client_of_smallest_index_of_equal_scores() -> None:
    rows = np.array([[9.0], [0.0], [1.0], [2.0], [3.0]])
    np.testing.assert_array_equal(combined("krum(f=1)", rows), [1.0])  # 1 and 2 have score 2 each


def test_centred_clipping_goes_on_from_the_last_round() -> None:
    by, here = make_aggregator("centred-clipping(radius=1)"), np.ones(N, dtype=bool)
    state, first = by.combine(None, Sent(rows_of(17), here, here / N))
    _, second = by.combine(state, Sent(rows_of(17), here, here / N))
    assert np.linalg.norm(first) <= 1 + 1e-12
    assert 0.1 < np.linalg.norm(second - first) <= 1 + 1e-12


def test_noise_has_the_stated_size_and_follows_seed_and_round() -> None:
    n, dim = 10, 4000
    here, none = np.ones(n, dtype=bool), np.zeros((n, dim))

    def drawn(seed: int, r: int) -> Floats:
        sent = Sent(none, here, here / n, r)
        return np.asarray(make_aggregator(f"dp-fed-avg(clip=3, noise=2, seed={seed})").combine(None, sent)[1])

    assert abs(drawn(1, 0).std() / (2 * 3 / n) - 1) < 0.06  # 5 standard deviations of the estimate from 4000 draws
    np.testing.assert_array_equal(drawn(1, 0), drawn(1, 0))
    for other in (drawn(2, 0), drawn(1, 1)):
        assert abs(np.corrcoef(other, drawn(1, 0))[0, 1]) < 0.1


@pytest.mark.parametrize(
    ("by", "n", "says"),
    [
        ("krum(f=4)", 10, r"10 clients are present in round 0; expected at least 11"),
        ("multi-krum(f=1, m=8)", 10, "at least 11"),
        ("bulyan(f=2)", 10, "at least 11"),
        ("trimmed-mean(f=5)", 10, "at least 11"),
        ("mean-around-median(f=5)", 10, "at least 11"),
    ],
)
def test_too_few_clients_are_refused_with_their_number(by: str, n: int, says: str) -> None:
    here = np.ones(n, dtype=bool)
    with pytest.raises(ValueError, match=says):
        stepped(by, rows_of(18, n), here, here / n)
    assert np.isfinite(stepped(by, rows_of(18, n + 1), np.ones(n + 1, dtype=bool), np.ones(n + 1) / (n + 1))).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("aggregate(by=krumm(f=1))", "unknown aggregator 'krumm'; nearest: krum"),
        ("aggregate(by=krum)", r"lacks \['f'\]; give them as in krum\(f=1\)"),
        ("aggregate(by=krum(g=1))", r"has no setting \['g'\]"),
        ("aggregate(by=krum(f=-1))", r"Krum\(f=-1\): must be an integer >= 0"),
        ("aggregate(by=clipped(radius=0))", r"Clipped\(radius=0\)"),
        ("aggregate(by=geometric-median(n_steps=0))", "n_steps=0"),
        ("aggregate(by=dp-fed-avg(clip=1, noise=-1))", r"DPFedAvg\(noise=-1\)"),
        ("aggregate(by=3)", r"Aggregate\(by=3\): expected an aggregator"),
        ("aggregate(server=fed-exp)", "reads the updates and gram themselves"),
        ("aggregate(server=aware)", "expected a server of d alone"),
    ],
)
def test_wrong_words_are_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make_server(text)


def test_updates_that_are_not_finite_give_nan_and_overflow_is_named() -> None:
    """One of two batch elements has diverged: the other one goes on."""
    rows, here = np.stack([rows_of(19), rows_of(20)]), np.ones((2, N), dtype=bool)
    rows[0, 3, 1] = np.inf
    found = stepped("multi-krum(f=2)", rows, here, here / N)
    assert np.isnan(found[0]).all()
    np.testing.assert_array_equal(found[1], stepped("multi-krum(f=2)", rows[1], here[1], here[1] / N))
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="combine to NaN or infinity in round 0"):
        stepped("trimmed-mean(f=0)", np.full((N, DIM), 1e308), here[0], here[0] / N)


def test_the_server_inside_steps_along_the_robust_direction() -> None:
    rows, here = rows_of(21), np.ones(N, dtype=bool)
    stats = RoundStats.unchecked(share=here / N, present=here, updates=rows)
    server, state = make_server("aggregate(by=median, server=fed-avg-m(beta=0.5, lr=0.3))"), None
    assert server.lr == 0.3
    for times in (1.0, 1.5, 1.75):
        state, step = server.step(state, Received(np.zeros(DIM), here / N, None, stats))
        np.testing.assert_allclose(step, times * np.median(rows, axis=0), atol=1e-12)


PLANTED: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("median", "ascending(sent.updates, sent.present)", "sent.updates", "median", {}),
    ("trimmed_mean", "low, n - self.f)", "low, n)", "trimmed-mean", {"f": 2}),
    ("mean_around_median", "n, n - self.f)", "n, n)", "mean-around-median", {"f": 2}),
    ("geometric_median", "beta = a /", "beta = a *", "geometric-median", {}),
    ("geometric_median", "apart > self.smoothing", "apart < self.smoothing", "geometric-median", {}),
    ("krum", "count(here) - self.f - 2", "count(here) - self.f - 3", "multi-krum", {"f": 2}),
    ("krum", "places < n_neighbours", "places > n_neighbours", "krum", {"f": 2}),
    ("bulyan", "& (turn < n_chosen)[..., None]", "", "bulyan", {"f": 2}),
    ("bulyan", "left = left & ~best", "left = left", "bulyan", {"f": 2}),
    ("bulyan", "n_chosen - 2 * self.f)", "n_chosen)", "bulyan", {"f": 2}),
    ("clipped", "[..., None] * sent.updates", "[..., None] + sent.updates", "clipped", {"radius": 1.0}),
    ("clipped", "off = rows - centre", "off = rows + centre", "centred-clipping", {"radius": 1.0, "n_steps": 2}),
    ("dp_fed_avg", "[..., None] * rows, axis=-2) / n", "[..., None] * rows, axis=-2)", "dp-fed-avg", {"clip": 1.0}),
]


@pytest.mark.parametrize(("module", "right", "wrong", "name", "settings"), PLANTED)
def test_a_fault_in_the_source_of_an_aggregator_is_seen(
    module: str, right: str, wrong: str, name: str, settings: dict[str, Any]
) -> None:
    """By the comparison with the plain loop, over a batch of cohorts of two sizes."""
    entry = planted(f"theory.algorithms.aggregators.{module}", right, wrong).ENTRY
    build = entry.build if hasattr(entry, "build") else next(one.build for one in entry if one.name == name)
    noise = {"noise": 0.0} if name == "dp-fed-avg" else {}
    rows, present = np.stack([rows_of(22), rows_of(23)]), np.ones((2, N), dtype=bool)
    present[1, [0, 5]] = False
    weights = weights_of(24, present)
    held = np.where(present[..., None], rows, 0.0)
    with np.errstate(invalid="ignore"):
        found = build(**settings, **noise).combine(None, Sent(held, present, weights))[1]
    loops = [
        PLAIN[name](row[here].tolist(), a[here].tolist(), **settings, **noise)
        for row, here, a in zip(rows, present, weights, strict=True)
    ]
    assert not np.abs(found - np.array(loops)).max() <= 1e-6
