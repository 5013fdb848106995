"""Curves of kept runs: seeds of one place make one arm, means with Student's band, files that are the same again."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deep.metrics.files import write_table
from deep.metrics.tables import Table
from validation.cli import main
from validation.commands.runs.compare import _beside_printed
from validation.report.paired_runs import differing, paired_runs
from validation.report.pictures.run_curves import (
    chosen,
    curve,
    figure,
    foreseen,
    possible,
    quantities_of,
    read_arms,
    save,
    within,
)


def put(folder: Path, accuracy: Sequence[float | None]) -> None:
    folder.mkdir(parents=True)
    columns = {
        "round": list(range(len(accuracy))),
        "test_accuracy": list(accuracy),
        "quantity.chi_square": [0.5] * len(accuracy),
    }
    kinds = {"round": "integer", "test_accuracy": "number", "quantity.chi_square": "number"}
    write_table(Table("rounds", kinds, columns), folder / "rounds.json")  # type: ignore[arg-type]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    put(tmp_path / "fleet" / "a" / "seed-0", [0.1, None, 0.5])
    put(tmp_path / "fleet" / "a" / "seed-1", [0.3, 0.4, 0.7])
    put(tmp_path / "fleet" / "b", [0.2, 0.2, 0.2])
    return tmp_path / "fleet"


def test_seeds_of_one_place_are_one_arm(runs: Path) -> None:
    arms = {arm.name: arm for arm in read_arms([runs])}
    assert {name: len(arm.tables) for name, arm in arms.items()} == {"a": 2, "b": 1}
    first, second, last = curve(arms["a"], "test_accuracy")
    assert (first.round, first.mean.value, last.mean.value) == (0.0, pytest.approx(0.2), pytest.approx(0.6))
    # Two values 0.2 apart: their mean's half width is t(0.975, 4/5) = 23.328 times a standard error of 0.1.
    assert last.mean.high is not None
    assert last.mean.high - 0.6 == pytest.approx(23.3279 * 0.1, rel=1e-4)
    assert (second.mean.value, second.mean.n, second.mean.low) == (0.4, 1, None)
    assert math.isclose(curve(arms["b"], "test_accuracy")[0].mean.value, 0.2)


def test_quantities_by_their_last_name(runs: Path) -> None:
    arms = read_arms([runs])
    assert quantities_of(arms) == ("test_accuracy", "quantity.chi_square")
    assert chosen(arms, ["chi_square"]) == ("quantity.chi_square",)
    assert chosen(arms, []) == ("test_accuracy",)
    with pytest.raises(ValueError, match="--quantity loss: expected one of test_accuracy, chi_square"):
        chosen(arms, ["loss"])
    with pytest.raises(ValueError, match="no finished run in it"):
        read_arms([runs.parent / "nowhere"])


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_the_same_runs_give_the_same_file(runs: Path, ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    arms = read_arms([runs])
    files = [save(figure(arms, ["test_accuracy"]), tmp_path / f"{n}.{ending}") for n in "xy"]
    assert files[0].read_bytes() == files[1].read_bytes()
    if ending == "svg":
        text = files[0].read_text("utf-8")
        assert "a (2 seeds, 1 in some rounds)" in text
        assert "b (1 seed)" in text
        assert text.count("FillBetweenPolyCollection") >= 1 or text.count("PolyCollection") >= 1
    with pytest.raises(ValueError, match="expected a name that ends in"):
        save(figure(arms, ["test_accuracy"]), tmp_path / "x.gif")


def test_names_of_lines_that_end_together_stand_apart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    for name in ("a", "b", "c"):
        put(tmp_path / name, [0.1, 0.5])
    drawn = figure(read_arms([tmp_path]), ["test_accuracy"])
    drawn.draw_without_rendering()
    (axes,) = drawn.axes
    boxes = sorted((text.get_window_extent() for text in axes.texts), key=lambda box: box.y0)
    assert len(boxes) == 3
    assert all(below.y1 <= above.y0 for below, above in pairwise(boxes))


def test_a_page_for_a_browser_holds_the_picture_itself(runs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    text = save(figure(read_arms([runs]), ["test_accuracy"]), tmp_path / "curves.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "a (2 seeds, 1 in some rounds)" in text[text.index("<svg") : text.index("</svg>")]
    assert not re.search(r'(?:src|href)="https?:', text)


def test_the_commands_draw_and_say_where_each_ended(runs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    out = tmp_path / "c.svg"
    said = CliRunner().invoke(main, ["compare", str(runs), "--quantity", "test_accuracy", "--out", str(out)])
    assert said.exit_code == 0, said.output
    assert "0.6" in said.output
    assert out.is_file()
    assert CliRunner().invoke(main, ["plot", str(runs / "b"), "--out", str(tmp_path / "p.pdf")]).exit_code == 0
    for arguments, words in (
        (["compare"], "nothing is named"),
        (["compare", "nowhere"], "nowhere: no such folder"),
        (["plot", str(runs), "--quantity", "x", "--out", str(out)], "--quantity x: expected one of"),
    ):
        failed = CliRunner().invoke(main, arguments)
        assert failed.exit_code == 2
        assert words in failed.output


def test_rules_are_played_and_compared_in_one_command(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    config, work, out = tmp_path / "short.toml", tmp_path / "work", tmp_path / "c.svg"
    config.write_text("[run]\nn_rounds = 2\nn_clients = 4\nn_sampled = 2\nn_local_steps = 1\n", encoding="utf-8")
    words = ["compare", "--rules", "uniform; exp-alpha(alpha=5.0)", "--config", str(config), "--seeds", "2"]
    words += ["--work", str(work), "--quantity", "test_accuracy", "--out", str(out)]
    said = CliRunner().invoke(main, words)
    assert said.exit_code == 0, said.output
    played = sorted(path.parent.relative_to(work).as_posix() for path in work.glob("*/*/metrics.jsonl"))
    assert played == [f"{rule}/seed-{seed}" for rule in ("exp-alpha-alpha-5.0", "uniform") for seed in (0, 1)]
    arms = {arm.name: arm for arm in read_arms([work / "uniform", work / "exp-alpha-alpha-5.0"])}
    for name in ("uniform", "exp-alpha-alpha-5.0"):
        assert f"{curve(arms[name], 'test_accuracy')[-1].mean.value:.4g}" in said.output
    assert out.is_file()
    beside = CliRunner().invoke(main, ["compare", str(work), "--rules", "uniform", "--work", str(work)])
    assert beside.exit_code == 2
    assert "expected no folders and no --published" in beside.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--quantity", "test_acuracy"], "--quantity test_acuracy: did you mean test_accuracy? expected one of"),
        (["--quantity", "reported"], "or in full group_accuracy.NAME"),
        (["--out", "curves.jpg"], "--out curves.jpg: expected a name that ends in .svg"),
        (["--every"], "--every is for --published; with --rules it would be ignored"),
    ],
)
def test_what_cannot_be_drawn_is_told_before_any_rule_is_played(words: list[str], told: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    done = CliRunner().invoke(main, ["compare", "--rules", "uniform", "--work", str(work), *words])
    assert done.exit_code == 2
    assert told in done.output
    assert not work.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--seeds", "2"], "--seeds is for --rules; with folders of runs alone it would be ignored"),
        (["RUNS", "--work", "x"], "--work is for --rules; with folders of runs alone"),
        (["RUNS", "--json"], "--json is for --published; with folders of runs alone"),
        (["--published", "--seeds", "3"], "--seeds is for --rules; with --published it would be ignored"),
        (["--published", "--quantity", "test_accuracy"], "--quantity is for --rules or RUNs; with --published"),
    ],
)
def test_an_option_of_another_way_to_compare_is_no_longer_ignored(words: list[str], told: str, runs: Path) -> None:
    done = CliRunner().invoke(main, ["compare", *(str(runs) if word == "RUNS" else word for word in words)])
    assert done.exit_code == 2
    assert told in done.output


def test_every_column_of_a_run_is_foreseen(tmp_path: Path) -> None:
    """What a table of rounds has can be asked for before it is there, by its name in full."""
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    config = tmp_path / "short.toml"
    config.write_text("[run]\nn_rounds = 1\nn_clients = 2\nn_sampled = 2\nn_local_steps = 1\n", encoding="utf-8")
    words = [
        "run",
        "--rule",
        "uniform",
        "--config",
        str(config),
        "--out",
        str(tmp_path / "one"),
        "--server",
        "fed-adam",
    ]
    done = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "one")])
    assert done.exit_code == 0, done.output
    columns = quantities_of(read_arms([tmp_path / "one"]))
    assert {"test_accuracy", "quantity.gamma_minus_omega"} <= {*columns}
    foreseen(columns, tmp_path / "c.svg")
    foreseen(["gamma_minus_omega"], tmp_path / "c.html")


def test_printed_numbers_fit_the_width_and_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # The comparison is made once for the four outputs: here only the tables depend on the width.
    monkeypatch.setattr("validation.commands.runs.compare._beside_printed", cache(_beside_printed))
    rows = json.loads(CliRunner().invoke(main, ["compare", "--published", "--json"]).stdout)
    for columns, most in ((None, 100), ("80", 80), ("160", 160)):
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns is not None:
            monkeypatch.setenv("COLUMNS", columns)
        done = CliRunner().invoke(main, ["compare", "--published"])
        assert done.exit_code == 0, done.output
        *tables, _differences, _cells, _statements, _verdicts = done.output.splitlines()
        assert most - 30 < max(map(len, tables)) <= most
        assert "…" not in done.output
        complete(rows, done.output)


def complete(rows: list[dict[str, Any]], output: str) -> None:
    """Every number that is shown, with its interval."""
    assert {row["kind"] for row in rows} == {"difference", "cell", "sentence"}
    shown = [row for row in rows if row["kind"] != "sentence" and row["n"]]
    assert shown
    assert all({"estimand", "delta", "options", "n", "interval", "look"} <= row.keys() for row in shown)
    for cell in shown:
        assert f"{cell['ours']:.2f}" in output
        low, high = cell["interval"] or (None, None)  # a single seed has none
        assert low is None or f"[{low:.2f}, {high:.2f}]" in output
    assert any(cell["interval"] for cell in shown)
    told = re.sub(r"\s+", "", output)
    first = next(row for row in shown if row["kind"] == "cell")
    assert re.sub(r"\s+", "", f"{first['paper']} {first['table']}:") in told


@pytest.mark.parametrize(
    ("seeds", "told", "dashed"),
    [
        ([[0.1, 0.2, 0.3, 0.4]] * 3, "3 seeds", 0),
        ([[0.1, 0.2], [0.2, 0.3, 0.4, 0.5], [0.2, 0.3, 0.4, 0.6]], "3 seeds, 2 from round 2", 1),
        ([[0.1, 0.2, None, None], [0.2, 0.3, 0.4, 0.5]], "2 seeds, 1 from round 2", 1),
        ([[0.1], [0.2, 0.3], [0.2, 0.3, 0.4, 0.6]], "3 seeds, fewer from round 1, 1 at the end", 1),
        ([[0.1, None, 0.2, 0.3], [0.2, 0.3, 0.4, 0.5]], "2 seeds, 1 in some rounds", 1),
        ([[None, None], [0.2, 0.3]], "1 of 2 seeds", 1),
        ([[0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4]], "2 seeds, 1 from round 3", 1),
    ],
)
def test_a_seed_that_drops_out_is_seen(tmp_path: Path, seeds: list[list[float | None]], told: str, dashed: int) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    for seed, accuracy in enumerate(seeds):
        put(tmp_path / "a" / f"seed-{seed}", accuracy)
    arms = read_arms([tmp_path / "a"])
    (axes,) = figure(arms, ["test_accuracy"]).axes
    assert [text.get_text() for text in axes.texts] == [f"a ({told})"]
    assert sum(line.get_linestyle() == "--" for line in axes.lines) == dashed
    assert ("dashed" in axes.get_xlabel()) == bool(dashed)
    points = curve(arms[0], "test_accuracy")
    drawn = {(x, y) for line in axes.lines for x, y in zip(*line.get_data(), strict=True)}
    assert drawn == {(p.round, p.mean.value) for p in points}
    solid = {x for line in axes.lines if line.get_linestyle() == "-" for x in line.get_xdata()}
    assert all(p.mean.n == len(seeds) for p in points if p.round in solid)


def test_the_table_says_of_how_many_seeds_the_last_value_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    put(tmp_path / "a" / "seed-0", [0.1])
    put(tmp_path / "a" / "seed-1", [0.2, 0.25])
    told = CliRunner().invoke(main, ["plot", str(tmp_path / "a"), "--out", str(tmp_path / "x.svg")])
    assert told.exit_code == 0, told.output
    assert "0.25, 1 of 2 seeds" in told.output
    assert "a (2 seeds, 1 from round 1)" in (tmp_path / "x.svg").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_a_picture_that_does_not_fit_on_the_disk_leaves_the_earlier_one(
    runs: Path, tmp_path: Path, ending: str
) -> None:
    import resource

    out = tmp_path / f"kept.{ending}"
    out.write_bytes(b"earlier")
    drawn = figure(read_arms([runs]), ["test_accuracy"])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(OSError, match="too large") as said:
            save(drawn, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert said.value.filename == str(out)
    assert out.read_bytes() == b"earlier"


def settings(folder: Path, seed: int, rule: str) -> None:
    kept = {"config": {"dataset": "digits", "seed": seed}, "rule": rule}
    (folder / "run.json").write_text(json.dumps(kept), encoding="utf-8")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Two rules that differ by 0.1 in every seed, where the seeds differ by more."""
    for seed, level in enumerate((0.1, 0.5, 0.3)):
        for rule, gain in (("first", 0.0), ("second", 0.1 + seed / 1000)):
            place = tmp_path / "pairs" / rule / f"seed-{seed}"
            put(place, [0.0, level + gain])
            settings(place, seed, rule)
    return tmp_path / "pairs"


def test_runs_are_compared_by_paired_differences_with_settings_and_seeds(pairs: Path) -> None:
    first, second = read_arms([pairs])
    assert (first.seeds, dict(first.settings)) == ((0, 1, 2), {"dataset": "digits", "rule": "first"})
    assert differing([first, second]) == [{"rule": "first"}, {"rule": "second"}]
    (row,) = paired_runs([first, second], "test_accuracy")
    assert (row.arm, row.than, row.round, row.seeds) == ("second", "first", 1.0, (0, 1, 2))
    assert row.mean is not None
    assert row.mean.value == pytest.approx(0.101)
    assert row.mean.high is not None
    assert row.mean.high - 0.101 < 0.01  # the marginal intervals are fifty times as wide
    assert row.p is not None
    assert row.p < 0.001


def test_runs_without_a_common_seed_are_not_paired(tmp_path: Path) -> None:
    put(tmp_path / "a" / "seed-0", [0.1, 0.2])
    put(tmp_path / "b" / "seed-1", [0.1, 0.2])
    (row,) = paired_runs(read_arms([tmp_path / "a", tmp_path / "b"]), "test_accuracy")
    assert (row.mean, row.p, row.seeds) == (None, None, ())


def test_one_seed_has_no_empty_column_but_a_line(pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    words = ["--out", str(tmp_path / "x.svg"), "--quantity", "test_accuracy"]
    one = [str(pairs / rule / "seed-0") for rule in ("first", "second")]
    for runs, tested in ((one, False), ([str(pairs)], True)):
        out = CliRunner().invoke(main, ["compare", *runs, *words])
        assert out.exit_code == 0, out.output
        assert ("p by Holm" in out.output) == tested
        assert ("one seed in common: no interval and no test" in out.output) != tested
        assert "the first is 0" in out.output


def test_compare_shows_a_rule_by_its_other_names_too(pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    for seed in range(3):
        settings(pairs / "first" / f"seed-{seed}", seed, "Proportional")
    out = CliRunner().invoke(main, ["compare", str(pairs), "--out", str(tmp_path / "x.svg")])
    assert "rule = Proportional (fed-avg)" in out.output


def test_no_interval_leaves_what_a_quantity_can_be(runs: Path) -> None:
    (arm, _) = read_arms([runs])
    last = curve(arm, "test_accuracy")[-1].mean
    assert last.low is not None
    assert last.low < 0
    assert within("test_accuracy", last) == (0.0, 1.0)
    assert possible("train_loss") == (0.0, math.inf)
    assert possible("quantity.gamma_minus_omega") == (-math.inf, math.inf)


def test_compare_prints_paired_differences_first(pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    out = CliRunner().invoke(main, ["compare", str(pairs), "--out", str(tmp_path / "x.svg")])
    assert out.exit_code == 0, out.output
    assert out.output.index("second − first") < out.output.index("rule = second")
    assert "+0.101" in out.output
    assert "0, 1, 2" in out.output
    drawn = figure(read_arms([pairs]), ["test_accuracy"])
    low, high = drawn.axes[0].get_ylim()
    assert low >= 0
    assert high <= 1
