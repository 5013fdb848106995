"""The TensorBoard callback, by reading its event files back."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from deep.metrics import TensorBoardWriter, round_quantities, rounds_of
from tests.deep.metrics_histories import a_record, drawn

accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard writes and reads event files"
)


def events(folder):
    found = accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    return found.Reload()


def steps(found, tag):
    return [event.step for event in found.Scalars(tag)]


def test_every_round_is_there_with_its_numbers(tmp_path):
    history, _ = drawn(n_rounds=4)
    with TensorBoardWriter(tmp_path) as writer:
        for record in history:
            writer(record)
    found = events(tmp_path)
    expected = {
        "loss/train": "train_loss",
        "loss/validation": "validation_loss",
        "loss/test": "test_loss",
        "accuracy/validation": "validation_accuracy",
        "accuracy/test": "test_accuracy",
        "server/update_norm": "update_norm",
        "server/bytes_down": "bytes_down",
        "server/bytes_up": "bytes_up",
        "seconds/round": "seconds",
    }
    for tag, name in expected.items():
        assert steps(found, tag) == [0, 1, 2, 3]
        # Event files hold float32.
        assert [e.value for e in found.Scalars(tag)] == pytest.approx([getattr(r, name) for r in history], rel=1e-6)
    groups = [e.value for e in found.Scalars("accuracy/group/usps")]
    assert groups == pytest.approx([r.group_accuracy["usps"] for r in history], rel=1e-6)
    assert [e.value for e in found.Scalars("seconds/training")] == [1.0] * 4
    diversity = round_quantities(rounds_of(history))["update_diversity"]
    assert [e.value for e in found.Scalars("quantity/update_diversity")] == pytest.approx(diversity, rel=1e-6)


def test_quantities_that_look_at_the_whole_run_are_left_out(tmp_path):
    with TensorBoardWriter(tmp_path) as writer:
        writer(drawn()[0][0])
    tags = {tag for tag in events(tmp_path).Tags()["scalars"] if tag.startswith("quantity/")}
    assert "quantity/chi_square" in tags
    assert "quantity/consensus" in tags
    assert not tags & {f"quantity/{key}" for key in ("gamma_minus_omega", "excess_at_model", "skew_at_model")}


def test_histograms_count_the_clients_present(tmp_path):
    history, _ = drawn(n_rounds=2)
    with TensorBoardWriter(tmp_path) as writer:
        for record in history:
            writer(record)
    found = events(tmp_path)
    names = {"weight", "loss_before", "loss_after", "accuracy"}
    assert set(found.Tags()["histograms"]) == {f"clients/{name}" for name in names}
    for event, record in zip(found.Histograms("clients/weight"), history, strict=True):
        weights = [w for w, here in zip(record.weights, record.present, strict=True) if here]
        assert event.histogram_value.num == len(weights)
        assert event.histogram_value.sum == pytest.approx(sum(weights))
        assert event.histogram_value.max == pytest.approx(max(weights))


def test_what_was_not_measured_is_not_written(tmp_path):
    record = drawn(losses="none")[0][0]
    with TensorBoardWriter(tmp_path) as writer:
        writer(replace(record, validation_loss=None))
    tags = events(tmp_path).Tags()
    assert not {"loss/train", "loss/validation"} & set(tags["scalars"])
    assert tags["histograms"] == ["clients/weight"]


def test_a_resumed_run_leaves_no_step_twice(tmp_path):
    history, _ = drawn(n_rounds=6)
    with TensorBoardWriter(tmp_path) as writer:
        for record in history[:4]:
            writer(record)
    later = [a_record(r, test_accuracy=0.5) for r in (2, 3, 4)]  # the checkpoint was that of two rounds
    with TensorBoardWriter(str(tmp_path)) as writer:
        for record in later:
            writer(record)
    found = events(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert steps(found, "accuracy/test") == [0, 1, 2, 3, 4]
    values = [event.value for event in found.Scalars("accuracy/test")]
    assert values == pytest.approx([*(r.test_accuracy for r in history[:2]), 0.5, 0.5, 0.5], rel=1e-6)
    assert [event.step for event in found.Histograms("clients/weight")] == [0, 1, 2, 3, 4]


def test_a_writer_that_goes_back_begins_a_new_file(tmp_path):
    with TensorBoardWriter(tmp_path) as writer:
        for index in (0, 1, 2, 1, 2, 3):
            writer(a_record(index))
    assert steps(events(tmp_path), "accuracy/test") == [0, 1, 2, 3]


def test_every_round_is_on_disk_before_the_writer_is_closed(tmp_path):
    writer = TensorBoardWriter(tmp_path)
    writer(a_record())
    assert steps(events(tmp_path), "accuracy/test") == [0]
    writer.close()
    writer.close()


def test_nothing_is_written_before_the_first_round(tmp_path):
    with TensorBoardWriter(tmp_path / "events"):
        pass
    assert not (tmp_path / "events").exists()


def test_event_files_from_the_future_are_refused(tmp_path):
    (tmp_path / f"events.out.tfevents.{int(time.time()) + 1000}.host.1.0").touch()
    with pytest.raises(ValueError, match=r"TensorBoardWriter\(.*in the future of this machine's clock"):
        TensorBoardWriter(tmp_path)(a_record())


def test_without_tensorboard_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ValueError, match=r"pip install 'fedverdict\[tensorboard\]'"):
        TensorBoardWriter(tmp_path)


def test_deep_is_imported_without_the_extras():
    code = "import sys, deep.metrics; sys.exit(any(m in sys.modules for m in ('pyarrow', 'tensorboard')))"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0
