"""What runs decide of the prose reaches the claims: kept beside results, refused below published scale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.validation.small_recipe import CLOSED, RATE, TEXT, made, shelf
from validation.judge.relations import judge_relation
from validation.published.runs import DECIDED, played
from validation.published.tables import decide
from validation.recipe.results.comparison import cell_rows
from validation.recipe.results.decided import decided_rows, write_decided
from validation.recipe.shelf import Shelf, shelves
from validation.recipe.statistics import intervals
from validation.recipe.unit import CALIBRATION_SEED, Unit
from validation.statement.verdict import Verdict

BEST = "final(test_accuracy)"
GAINS = [0.1, 0.11, 0.09, 0.105, 0.095]
LOSSES = [-gain for gain in GAINS]
CLOSE = [0.045, 0.1, 0.08, 0.14, 0.06]  # p = 0.016


def p_value(values: list[float]) -> float:
    found = intervals.p_value(values)
    assert found is not None
    return found


@pytest.mark.parametrize("one", shelves(), ids=lambda s: s.paper)
def test_what_is_kept_is_what_the_committed_results_say_today(one: Shelf) -> None:
    path = one.folder / DECIDED
    assert decided_rows(one) == (json.loads(path.read_text(encoding="utf-8")) if path.exists() else [])


def run(
    tmp_path: Path, gains: list[float], *, scale: float = 1.0, first: int = 0, status: str = "completed"
) -> tuple[Shelf, list[tuple[str, str]]]:
    """A shelf where FedAvg is better than Worse by these gains, seed by seed; claims and words of `played`."""
    one = shelf(tmp_path, CLOSED)
    recipe = one.recipes()[0]
    for seed, gain in enumerate(gains, first):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(recipe, arm, seed, {}, scale), one.results, {BEST: value}, status=status)
    write_decided(one)
    relation = played(one.folder, "X-1", "runs of table t")
    outcome = judge_relation(relation, "X-1", "as printed")
    return one, [(outcome.verdict, outcome.why)]


@pytest.mark.parametrize(
    ("gains", "verdict", "told"),
    [
        (GAINS, Verdict.HOLDS, "all 1 comparisons"),
        (LOSSES, Verdict.REFUTED, "-0.1"),
        (GAINS[:4], Verdict.NEEDS_RUN, "so far unresolved"),
        (
            [0.1, -0.11, 0.02, -0.03, 0.05],
            Verdict.NEEDS_RUN,
            "so far unresolved: final(test_accuracy): FedAvg above Worse",
        ),
        ([0.1], Verdict.NEEDS_RUN, "so far unresolved"),
        ([], Verdict.NEEDS_RUN, "runs of table t"),
    ],
)
def test_a_claim_is_judged_where_every_difference_is_decided(
    tmp_path: Path, gains: list[float], verdict: Verdict, told: str
) -> None:
    _, ((found, why),) = run(tmp_path, gains)
    assert found == verdict
    assert told in why


@pytest.mark.parametrize(("gains", "mean"), [(GAINS, "+0.1"), (LOSSES, "-0.1")])
def test_a_verdict_on_runs_shows_interval_seeds_and_p_and_claims_no_exactness(
    tmp_path: Path, gains: list[float], mean: str
) -> None:
    one, ((_, why),) = run(tmp_path, gains)
    found = intervals.mean_of(gains)
    assert f"{mean} ({found.low:+.4g} to {found.high:+.4g}) against Worse over 5 seeds, corrected p = " in why
    outcome = judge_relation(played(one.folder, "X-1", "runs"), "X-1", "as printed")
    assert "exact" not in why
    assert outcome.script is None
    assert outcome.detail["stages"] == {"runs": 1}


@pytest.mark.parametrize("below", [{"scale": 0.5}, {"first": CALIBRATION_SEED}, {"status": "stopped"}])
def test_demonstrations_calibration_and_unfinished_runs_decide_nothing(
    tmp_path: Path, below: dict[str, int | float | str]
) -> None:
    one, ((found, why),) = run(tmp_path, GAINS, **below)  # type: ignore[arg-type]
    assert (found, why) == (Verdict.NEEDS_RUN, "runs of table t")
    assert not (one.folder / DECIDED).exists()


def test_a_sentence_that_says_below_is_compared_below(tmp_path: Path) -> None:
    text = CLOSED.replace('arm = "FedAvg", above = ["Worse"]', 'arm = "Worse", below = ["FedAvg"]', 1)
    one = shelf(tmp_path, text)
    for seed, gain in enumerate(GAINS):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(one.recipes()[0], arm, seed), one.results, {BEST: value})
    write_decided(one)
    (comparison,) = played(one.folder, "X-1", "").comparisons()
    assert decide(comparison)
    assert comparison.cells["mean"].value == "-0.1"  # all digits that are kept, no exponent
    assert "Worse minus FedAvg" in comparison.cells["mean"].where


@pytest.mark.parametrize(
    "content",
    [
        "[",
        "[{}]",
        '[{"claim": "X-1", "is": "beside", "differences": []}]',
        '[{"claim": "X-1", "is": "above", "says": "so", "status": "agrees", "differences": []}]',  # without a verdict
    ],
)
def test_damaged_statements_are_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / DECIDED).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"statements\.json"):
        played(tmp_path, "X-1", "")


HALF = CLOSED.replace('{ claim = "X-2"', '{ claim = "X-1"')


@pytest.mark.parametrize(
    ("gains", "words", "verdict"),
    [
        (GAINS, ["reproduced", "not run"], Verdict.NEEDS_RUN),
        (LOSSES, ["opposite", "not run"], Verdict.REFUTED),  # false and anything is false
    ],
)
def test_half_of_a_claim_holds_nothing_and_can_refute_it(
    tmp_path: Path, gains: list[float], words: list[str], verdict: Verdict
) -> None:
    one = shelf(tmp_path, HALF)
    for seed, gain in enumerate(gains):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(one.recipes()[0], arm, seed), one.results, {BEST: value})
    assert [row["status"] for row in decided_rows(one)] == words
    write_decided(one)
    assert judge_relation(played(one.folder, "X-1", "runs"), "X-1", "as printed").verdict == verdict


@pytest.mark.parametrize(("looks", "status"), [(1, "reproduced"), (2, "unresolved")])
def test_a_second_look_at_more_seeds_doubles_p(tmp_path: Path, looks: int, status: str) -> None:
    one = shelf(tmp_path, f"looks = {looks}\n{CLOSED}")
    gains = CLOSE  # the table asks two sentences
    for seed, gain in enumerate(gains):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(one.recipes()[0], arm, seed), one.results, {BEST: value})
    (row,) = decided_rows(one)
    assert row["status"] == status
    assert row["differences"][0]["p"] == pytest.approx(looks * 2 * p_value(gains), rel=1e-5)


def test_looks_at_the_runs_of_one_sentence_are_its_own(tmp_path: Path) -> None:
    one = shelf(tmp_path, f"looks = 5\n{CLOSED}".replace('above = ["Worse"]', 'above = ["Worse"], looks = 3'))
    gains = CLOSE
    for seed, gain in enumerate(gains):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(one.recipes()[0], arm, seed), one.results, {BEST: value})
    (row,) = decided_rows(one)
    assert row["differences"][0]["p"] == pytest.approx(3 * 2 * p_value(gains), rel=1e-5)


@pytest.mark.parametrize("looks", ["0", "true", "1.5"])
@pytest.mark.parametrize("place", ["recipe", "sentence"])
def test_looks_are_counted(tmp_path: Path, looks: str, place: str) -> None:
    of_sentence = TEXT.replace('above = ["Worse"]', f'above = ["Worse"], looks = {looks}')
    with pytest.raises(ValueError, match="looks"):
        shelf(tmp_path, f"looks = {looks}\n{TEXT}" if place == "recipe" else of_sentence).recipes()


BOTH_WAYS = RATE.replace("grid = true", "readings = true")


def two_ways(tmp_path: Path, gains: list[float], others: list[float], text: str = BOTH_WAYS) -> Shelf:
    """A shelf where FedAvg is better than Worse by `gains` under the default rate and by `others` under the other."""
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()
    for choice, found in (({}, gains), ({"rate": "0.01"}, others)):
        for seed, gain in enumerate(found):
            for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
                made(Unit(recipe, arm, seed, choice), one.results, {BEST: value})
    write_decided(one)
    return one


def test_where_the_print_names_both_options_each_is_decided_by_itself(tmp_path: Path) -> None:
    one = two_ways(tmp_path, GAINS, LOSSES)
    words = {
        under: judge_relation(played(one.folder, "X-1", "runs", under), "X-1", "as printed").verdict
        for under in ("", "rate = 0.1", "rate = 0.01")
    }
    assert words == {"": Verdict.NEEDS_RUN, "rate = 0.1": Verdict.HOLDS, "rate = 0.01": Verdict.REFUTED}


def test_a_reading_of_which_part_was_not_run_is_not_kept(tmp_path: Path) -> None:
    one = two_ways(tmp_path, GAINS, [])
    assert [row.get("under") for row in decided_rows(one)] == [None, "rate = 0.1"]
    assert judge_relation(played(one.folder, "X-1", "runs", "rate = 0.01"), "X-1", "").why == "runs, rate = 0.01"


def test_other_open_choices_still_count_against_a_reading(tmp_path: Path) -> None:
    one = two_ways(tmp_path, GAINS, LOSSES, TEXT.replace("grid = true", "readings = true"))
    (recipe,) = one.recipes()
    words = [(row.get("under"), row["status"]) for row in decided_rows(one)]
    assert words == [(None, "depends"), ("rate = 0.1", "unresolved"), ("rate = 0.01", "unresolved")]
    for seed, gain in enumerate(GAINS):
        made(Unit(recipe, "Worse", seed, {"of Worse": "two"}), one.results, {BEST: 0.5 + 2 * gain})
    words = [(row.get("under"), row["status"]) for row in decided_rows(one)]
    assert words == [(None, "depends"), ("rate = 0.1", "depends"), ("rate = 0.01", "unresolved")]
    for seed, gain in enumerate(GAINS):
        choice = {"of Worse": "two", "rate": "0.01"}
        made(Unit(recipe, "Worse", seed, choice), one.results, {BEST: 0.5 + 2 * gain})
    assert decided_rows(one)[-1]["status"] == "opposite"


def test_readings_are_adjusted_together(tmp_path: Path) -> None:
    one = two_ways(tmp_path, CLOSE, LOSSES)
    (first,) = (row for row in decided_rows(one) if row.get("under") == "rate = 0.1")
    assert first["differences"][0]["p"] == pytest.approx(3 * p_value(CLOSE), rel=1e-5)  # second of four
    one = two_ways(tmp_path, CLOSE, [0.02, 0.11, 0.09, 0.14, -0.05])  # first of four: two of them nobody ran
    kept = {row["under"]: row["differences"][0]["p"] for row in decided_rows(one) if "under" in row}
    assert kept["rate = 0.1"] == pytest.approx(4 * p_value(CLOSE), rel=1e-5)


@pytest.mark.parametrize(("looks", "times"), [("", 1), ('looks = { "0.01" = 3 }\n', 3)])
def test_looks_at_an_option_are_its_own(tmp_path: Path, looks: str, times: int) -> None:
    text = BOTH_WAYS.replace("readings = true\n", f"readings = true\n{looks}")
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()
    for seed, gain in enumerate(CLOSE):
        for arm, value in (("FedAvg", 0.5 + gain), ("Worse", 0.5)):
            made(Unit(recipe, arm, seed, {"rate": "0.01"}), one.results, {BEST: value})
    (row,) = (row for row in decided_rows(one) if row.get("under") == "rate = 0.01")
    assert row["differences"][0]["p"] == pytest.approx(times * 4 * p_value(CLOSE), rel=1e-5)


def test_an_excluded_option_is_no_reading(tmp_path: Path) -> None:
    text = BOTH_WAYS.replace("readings = true", 'readings = true\nexcluded = ["0.01"]')
    one = two_ways(tmp_path, GAINS, LOSSES)
    (one.folder / "recipes" / "t.toml").write_text(text, encoding="utf-8")
    assert [row.get("under") for row in decided_rows(one)] == [None, "rate = 0.1"]


def test_what_waits_in_another_recipe_keeps_a_claim_from_its_readings(tmp_path: Path) -> None:
    one = two_ways(tmp_path, GAINS, LOSSES)
    (one.folder / "recipes" / "u.toml").write_text(TEXT, encoding="utf-8")
    assert [row.get("under") for row in decided_rows(one)] == [None, None, "rate = 0.01"]  # where a part refutes it


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("readings = true\ngrid = true", "no readings"),
        ("looks = 2", "looks"),
        ('looks = { "0.01" = 0 }', "looks of '0.01' = 0"),
        ('looks = { "0.2" = 1 }', "names '0.2'"),
    ],
)
def test_what_is_said_of_options_is_checked(tmp_path: Path, words: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        shelf(tmp_path, TEXT.replace("grid = true", words)).recipes()


@pytest.mark.parametrize("lost", ["FedAvg", "Worse"])
@pytest.mark.parametrize("how", ["diverged", "never reached"])
def test_a_run_that_ends_without_a_value_is_not_dropped_from_the_comparison(
    tmp_path: Path, lost: str, how: str
) -> None:
    """Else an arm that reaches 60 % on three seeds of ten would be compared on its three quickest."""
    measure = "reached(test_accuracy, 0.6)"
    one = shelf(tmp_path, CLOSED.replace(BEST, measure).replace("times = 100", ""))
    (recipe,) = one.recipes()
    for seed in range(6):
        for arm, value in (("FedAvg", 9.0 + seed / 10), ("Worse", 3.0)):
            gone = seed == 5 and arm == lost
            status = "diverged" if gone and how == "diverged" else "completed"
            made(Unit(recipe, arm, seed), one.results, {measure: None if gone else value}, status=status)
        (row,) = decided_rows(one)
        if seed == 4:
            assert row["status"] == "reproduced"
    assert (row["status"], row["differences"][0]["n"]) == ("unresolved", 5)
    assert row["spread"] == ["Worse: 1 seeds without a value"]
    cell = next(cell for cell in cell_rows(one) if cell.row == lost)
    assert (cell.status, cell.note.partition(";")[0], cell.n) == ("unresolved", "1 of 6 runs ended without a value", 5)


@pytest.mark.parametrize("measure", ["reached(test_accuracy, 0.6)", "crossed(test_accuracy, 0.6)", BEST])
@pytest.mark.parametrize("found", [[-0.01, -0.01], [0.0, 0.0], [-1.0, -1.0, -1.0, -1.0]])
def test_seeds_that_do_not_scatter_decide_nothing(tmp_path: Path, found: list[float], measure: str) -> None:
    """Counts of rounds agree by chance, and so do accuracies on a small test part."""
    one = shelf(tmp_path, CLOSED.replace(BEST, measure))
    for seed, gain in enumerate(found):
        for arm, value in (("FedAvg", 5.0 + seed + gain), ("Worse", 5.0 + seed)):
            made(Unit(one.recipes()[0], arm, seed), one.results, {measure: value})
    (row,) = decided_rows(one)
    (difference,) = row["differences"]
    assert (row["status"], difference["p"], difference["low"]) == ("unresolved", None, None)


def test_a_cell_whose_seeds_are_equal_is_undecided(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLOSED)
    for seed in range(3):
        made(Unit(one.recipes()[0], "FedAvg", seed), one.results, {BEST: 0.25})
    cell = next(cell for cell in cell_rows(one) if cell.row == "FedAvg")
    assert (cell.ours, cell.interval, cell.n, cell.status) == (25.0, None, 3, "unresolved")
