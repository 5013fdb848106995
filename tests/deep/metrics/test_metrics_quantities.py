"""Theory's quantities of a history: the theory's own functions on the updates are the oracle."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep.base.floor import ZERO, Floor
from deep.metrics import (
    CLIENT_QUANTITIES,
    ROUND_QUANTITIES,
    RUN_QUANTITIES,
    Quantity,
    client_quantities,
    quantities,
    quantity,
    round_quantities,
    rounds_of,
    run_quantities,
)
from deep.metrics.rounds import coordinates
from deep.metrics.tables import round_columns
from tests.deep.metrics_histories import a_record, drawn
from tests.turns import one_run_in
from theory import quantities as theory

NEEDS_BEST = {q.key for q in ROUND_QUANTITIES if q.estimates and any("Fₖ*" in e or "w*" in e for e in q.estimates)}
seeds = st.integers(0, 50)


def column(history, name):
    return np.asarray([getattr(record, name) for record in history], dtype=np.float64)


@given(seeds, st.booleans())
def test_what_the_updates_say_follows_from_their_gram_matrix(seed, full):
    history, updates = drawn(seed=seed, full=full)
    found = round_quantities(rounds_of(history))
    weights = column(history, "weights")
    # The root of a Gram matrix and the norms taken from it are good to about 1e-15 of its largest eigenvalue.
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(
        found["local_update_diversity"], theory.local_update_diversity(updates, weights), **close
    )
    np.testing.assert_allclose(found["realised_gamma"], theory.realised_gamma(updates, weights), **close)
    combined = theory.pseudo_gradient(updates, weights)
    np.testing.assert_allclose(found["pseudo_gradient_norm"], np.linalg.norm(combined, axis=-1), **close)
    np.testing.assert_allclose(found["consensus"], np.sum(combined**2, axis=-1), **close)


@given(seeds)
def test_the_coordinates_have_the_gram_matrix(seed):
    history, _ = drawn(seed=seed)
    for record in history:
        found = coordinates(np.asarray(record.gram))
        np.testing.assert_allclose(found @ found.T, record.gram, atol=1e-12)  # of entries up to about 20


@given(seeds)
def test_losses_at_the_two_estimates(seed):
    history, _ = drawn(seed=seed)
    before, after, weights, share = (column(history, n) for n in ("loss_before", "loss_after", "weights", "share"))
    reached = before[np.argmin(column(history, "train_loss"))]
    lowest = np.minimum(before, after).min(axis=0)
    found, run = round_quantities(rounds_of(history)), run_quantities(rounds_of(history))
    exact = {"rtol": 1e-12}
    np.testing.assert_allclose(found["excess_at_optimum"], weights @ (reached - lowest), **exact)
    np.testing.assert_allclose(found["excess_at_model"], np.sum(weights * (before - lowest), axis=-1), **exact)
    np.testing.assert_allclose(
        found["proportional_excess_at_model"], np.sum(share * (before - lowest), axis=-1), **exact
    )
    difference = np.subtract(found["excess_at_optimum"], found["excess_at_model"])
    np.testing.assert_allclose(found["gamma_minus_omega"], difference, atol=1e-12)
    gap = np.subtract(column(history, "train_loss"), share[0] @ reached)
    np.testing.assert_allclose(found["excess_loss"], gap, atol=1e-12)
    assert run["heterogeneity"] == pytest.approx(share[0] @ (reached - lowest))
    assert run["greatest_excess_at_optimum"] == max(found["excess_at_optimum"])
    assert run["least_excess_at_model"] == min(found["excess_at_model"])
    assert run["least_proportional_excess"] == pytest.approx(min(found["proportional_excess_at_model"]))
    assert run["least_skew"] == min(found["skew_at_model"])
    assert run["greatest_skew_at_optimum"] == max(found["skew_at_optimum"])
    gaps = client_quantities(rounds_of(history))["noniid_gap"]
    np.testing.assert_allclose(gaps, np.broadcast_to(reached - lowest, before.shape), atol=1e-12)


def test_without_a_floor_of_the_run_the_lowest_loss_is_that_of_any_model():
    losses = {"loss_before": [1.0, 3.0], "loss_after": [2.0, 1.0], "loss_best": [0.0, 0.0]}
    best = rounds_of([a_record(0, **losses), a_record(1, loss_before=[0.5, 2.0], loss_after=[None, None])]).loss_best
    np.testing.assert_array_equal(best, [[0.5, 1.0]] * 2)
    np.testing.assert_array_equal(rounds_of([a_record(0, **losses)]).loss_best, [[1.0, 1.0]])


def test_a_run_s_floor_takes_the_place_of_what_was_seen():
    history = [a_record(r, train_loss=2.0 - r) for r in range(2)]
    solved = Floor("solved", "solved to 1e-11", (0.25, 0.5), (0.75, 1.0))
    rounds = rounds_of(history, floor=solved)
    np.testing.assert_array_equal(rounds.loss_best, [[0.25, 0.5]] * 2)
    np.testing.assert_array_equal(rounds.loss_at_optimum, [[0.75, 1.0]] * 2)
    np.testing.assert_array_equal(rounds_of(history, floor=ZERO).loss_best, np.zeros((2, 2)))
    np.testing.assert_array_equal(rounds_of(history, floor=ZERO).loss_at_optimum, [[2.0, 1.0]] * 2)
    # Fₖ(w*) belong to one objective: where shares change there is no one w*.
    moved = [history[0], replace(history[1], share=[1.0, 0.0])]
    assert np.isnan(rounds_of(moved, floor=solved).loss_at_optimum).all()


def test_every_quantity_states_its_floor():
    solved = Floor("solved", "solved to 1e-11", (0.25, 0.5), (0.75, 1.0))
    by_key = {q.key: q for q in (*ROUND_QUANTITIES, *RUN_QUANTITIES)}
    gamma = by_key["heterogeneity"]
    assert gamma.why_estimate("this run", solved) is None
    assert gamma.of_floor(solved) == "solved to 1e-11"
    assert ZERO.says in (gamma.why_estimate("this run", ZERO) or "")
    assert "lowest training loss seen in this run" in (gamma.why_estimate("this run", ZERO) or "")
    assert by_key["chi_square"].of_floor(solved) is None
    for q in by_key.values():
        assert (q.of_floor(ZERO) is not None) == (
            q.key in NEEDS_BEST | {"heterogeneity"} or "Fₖ" in q.says + str(q.estimates)
        )


def test_weights_and_shares_by_hand():
    rounds = rounds_of([a_record(share=[0.25, 0.75], weights=[1.0, 0.0], present=[True, False], local_steps=[4, 0])])
    found, run = round_quantities(rounds), run_quantities(rounds)
    assert (found["least_share_ratio"], found["greatest_share_ratio"]) == ([0.0], [4.0])
    assert (run["least_share_ratio"], run["greatest_share_ratio"], run["coefficient_bound"]) == (0.0, 4.0, 4.0)
    assert found["chi_square"] == [pytest.approx(0.75**2 / 0.25 + 0.75)]
    assert found["weight_discrepancy"] == [pytest.approx(4 * 2 * 0.75**2)]
    assert found["weight_entropy"] == [0.0]
    assert found["any_inactive"] == [1.0]
    assert client_quantities(rounds)["share_ratio"] == [[4.0, 0.0]]
    everyone = rounds_of([a_record()])
    assert round_quantities(everyone)["any_inactive"] == [0.0]
    assert round_quantities(everyone)["weight_entropy"] == [pytest.approx(np.log(2))]


def test_cosines_by_hand():
    rounds = rounds_of([a_record(gram=[[1.0, 1.0], [1.0, 2.0]], weights=[1.0, 0.0])])
    found = round_quantities(rounds)
    assert found["coherence_sum"] == found["mean_pairwise_cosine"] == [pytest.approx(0.5**0.5)]
    assert found["update_diversity"] == [pytest.approx((1.5 / 1.25) ** 0.5)]
    assert client_quantities(rounds)["client_coherence"] == [[pytest.approx(1.0), pytest.approx(0.5**0.5)]]
    alone = rounds_of([a_record(present=[True, False], gram=[[1.0]], weights=[1.0, 0.0])])
    assert round_quantities(alone)["mean_pairwise_cosine"] == [None]
    assert client_quantities(alone)["client_coherence"] == [[pytest.approx(1.0), None]]


@one_run_in(2)
@given(seeds)
def test_a_thousand_absent_clients_change_no_quantity_of_updates(seed):
    """Nor does it take memory: 1,000 × 1,000 inner products in each of 200 rounds would be 1.6 GB."""
    history, _ = drawn(seed=seed)
    wide = [_among_absent(history[index % len(history)], index) for index in range(200)]
    rounds = rounds_of(wide)
    assert rounds.gram.shape == (200, *(max(len(record.gram) for record in history),) * 2)
    few, many = (round_quantities(rounds_of(h)) for h in (history, wide))
    for key in NEEDS_UPDATES:
        np.testing.assert_allclose(_floats(many[key][: len(history)]), _floats(few[key]), rtol=1e-9)
    few, many = (client_quantities(rounds_of(h))["client_coherence"] for h in (history, wide[: len(history)]))
    np.testing.assert_allclose(_floats(many)[:, 1::200], _floats(few), atol=1e-9)


NEEDS_UPDATES = (
    "update_diversity",
    "local_update_diversity",
    "realised_gamma",
    "pseudo_gradient_norm",
    "consensus",
    "coherence_sum",
    "mean_pairwise_cosine",
)


def _floats(values):
    return np.asarray(values, dtype=np.float64)


def _among_absent(record, index):
    """The record as round `index`, its five clients in the slots 1, 201, 401, … of 1,000; the others absent."""
    blank = {"kinds": "", "share": 0.0, "present": False, "weights": 0.0, "local_steps": 0}
    lists = {name: [blank.get(name)] * 1000 for name in (*blank, *LOSSES)}
    for name, values in lists.items():
        values[1::200] = getattr(record, name)
    return replace(record, round=index, clients=list(range(1000)), **lists)


LOSSES = ("loss_before", "loss_after", "loss_best", "client_accuracy")


def test_e_lud_dynamics_and_consensus_dynamics():
    history, updates = drawn(full=True)
    weights, share = column(history, "weights"), column(history, "share")
    rho = np.sum(theory.pseudo_gradient(updates, weights) ** 2, axis=-1)
    found = run_quantities(rounds_of(history, local_lr=0.1))
    assert found["consensus_dynamics"] == pytest.approx(np.mean(rho) / (0.01 * 4))
    chi = theory.chi_square(weights, share)
    assert found["reweighted_consensus_dynamics"] == pytest.approx(np.mean(chi * rho) / (0.01 * 4))
    each = round_quantities(rounds_of(history))["update_diversity"]
    assert found["update_diversity_dynamics"] == pytest.approx(np.mean(each))


@pytest.mark.parametrize(
    ("changes", "local_lr"), [({}, None), ({"local_steps": [4, 3, 4, 4, 4]}, 0.1), ({"local_steps": [0] * 5}, 0.1)]
)
def test_consensus_dynamics_needs_one_rate_and_one_number_of_steps(changes, local_lr):
    history = [replace(record, **changes) for record in drawn(full=True)[0]]
    found = run_quantities(rounds_of(history, local_lr=local_lr))
    assert found["consensus_dynamics"] is None
    assert found["reweighted_consensus_dynamics"] is None


def test_clients_made_anew_have_only_what_one_round_knows():
    rounds = rounds_of(drawn(anew=True)[0])
    found = round_quantities(rounds)
    assert {key for key, values in found.items() if values == [None] * 6} == NEEDS_BEST
    assert all(None not in values for key, values in found.items() if key not in NEEDS_BEST)
    assert run_quantities(rounds)["heterogeneity"] is None
    assert client_quantities(rounds)["noniid_gap"] == [[None] * 5] * 6


def test_losses_of_the_clients_present_give_what_they_determine():
    known, _ = drawn(losses="all", n_rounds=30)
    partly, _ = drawn(losses="present", n_rounds=30)
    found = round_quantities(rounds_of(partly))
    assert found["gamma_minus_omega"] == [None] * 30  # no round knows its train loss
    assert found["skew_at_model"] == [None] * 30  # its denominator takes everyone
    assert None not in found["excess_at_model"]
    # Fₖ* is then the lowest loss over fewer rounds, hence no smaller.
    everyone = round_quantities(rounds_of(known))["excess_at_model"]
    assert all(a <= b + 1e-12 for a, b in zip(found["excess_at_model"], everyone, strict=True))


def test_without_losses_nothing_is_said_about_them():
    found = round_quantities(rounds_of(drawn(losses="none")[0]))
    assert {key for key, values in found.items() if values == [None] * 6} == NEEDS_BEST


def test_a_rule_that_weights_absent_clients_did_not_combine_this_rounds_updates():
    history = [a_record(0, present=[True, False], gram=[[1.0]]), a_record(1)]
    found = round_quantities(rounds_of(history))
    for key in ("pseudo_gradient_norm", "consensus", "local_update_diversity", "realised_gamma"):
        assert found[key][0] is None
        assert found[key][1] is not None
    assert client_quantities(rounds_of(history))["client_coherence"][0] == [None, None]
    assert run_quantities(rounds_of(history, local_lr=0.1))["consensus_dynamics"] is None


def test_undefined_is_none_and_all_of_it_json():
    still = a_record(gram=[[0.0, 0.0], [0.0, 0.0]], share=[1.0, 0.0], local_steps=[0, 0])
    rounds = rounds_of([still], local_lr=0.1)
    found = round_quantities(rounds)
    assert found["update_diversity"] == found["realised_gamma"] == found["coherence_sum"] == [None]
    assert found["chi_square"] == [None]  # weight on a client without data
    assert found["consensus"] == [0.0]
    json.dumps([found, run_quantities(rounds), client_quantities(rounds)], allow_nan=False)


def test_optional_arrays_may_be_missing():
    rounds = replace(rounds_of(drawn()[0]), updates=None, local_steps=None)
    found = round_quantities(rounds)
    for key in ("any_inactive", "consensus", "realised_gamma"):
        assert found[key] == [None] * 6
    assert run_quantities(rounds)["consensus_dynamics"] is None


def test_the_tables_describe_every_quantity_once():
    for table in (ROUND_QUANTITIES, RUN_QUANTITIES, CLIENT_QUANTITIES):
        assert len({q.key for q in table}) == len(table)
        for q in table:
            assert all((q.title, q.says, q.source))
            assert q.unit in {"loss", "ratio", "none", "nats", "model", "model²", "gradient²"}
            assert not q.says.endswith(".")
    (chosen,) = (q for q in ROUND_QUANTITIES if q.key == "skew_at_optimum")
    assert "seen in the run;" in chosen.why_estimate()
    assert chosen.why_estimate("any of the runs").count("any of the runs") == 2
    assert Quantity("k", "t", "none", "s", "o", lambda r: None).why_estimate() is None


def test_the_page_names_every_column_of_a_round_with_its_meaning():
    page = (Path(__file__).parents[3] / "docs" / "quantities.md").read_text(encoding="utf-8")
    scores, ours = page.split("## Quantities of the papers")
    named = set(re.findall(r"^\| `(\w+)` \|", scores, flags=re.MULTILINE))
    assert named == {name for name in round_columns()[0] if not name.startswith("quantity.")}
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", ours, flags=re.MULTILINE)
    words = (("w*", quantity.OPTIMUM), ("Fₖ*", quantity.BEST))
    reads = {q.key: " and ".join(word for word, mark in words if mark in q.estimates) for q in ROUND_QUANTITIES}
    assert rows == [(q.key, q.title, q.says, q.unit, reads[q.key], q.source) for q in ROUND_QUANTITIES]


def test_theory_is_covered():
    here = Path(quantities.__file__).parent
    code = "".join((here / name).read_text(encoding="utf-8") for name in ("of_round.py", "of_run.py", "quantity.py"))
    computed = set(re.findall(r"theory\.(\w+)", code))
    left_out = set(re.findall(r"`(\w+)`", quantities.__doc__))
    # `weighted_excess` at the model or the optimum, and its extremes over rounds.
    same = {"excess_at_model", "excess_at_optimum", "greatest_excess_at_optimum", "least_excess_at_model"}
    assert set(theory.__all__) <= computed | left_out | same
    assert not computed & left_out


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ([], r"rounds_of\(history=…\): no round"),
        ([a_record(1)], "round 1 in place 0"),
        ([a_record(0), drawn()[0][1]], r"\[2, 5\] clients in a round"),
    ],
)
def test_errors_name_what_was_wrong(history, message):
    with pytest.raises(ValueError, match=message):
        rounds_of(history)
