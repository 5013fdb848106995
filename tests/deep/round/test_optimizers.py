"""Optimisers of torch.optim as local steps: against a plain torch loop, resumed bit for bit, and in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from deep import RunConfig, run
from deep.data import make_split, read_parts
from deep.features.optimiser import make_optimiser
from deep.models import make_model
from deep.partition import divide, make_partition
from deep.runs.identity import run_identity
from deep.runs.simulated import simulated
from deep.task.setup import Setup
from theory.participation.batches import step_batches
from theory.rules import make_rule

# Adafactor looks at rows and columns of a weight, so it also sees whether tensors keep their shapes.
CASES = {
    "adamw(lr=0.01, weight_decay=0.1)": lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.1),
    "Adam(lr=0.01, betas=[0.5, 0.9], amsgrad=true)": lambda p: torch.optim.Adam(p, 0.01, (0.5, 0.9), amsgrad=True),
    "rmsprop(lr=0.01)": lambda p: torch.optim.RMSprop(p, 0.01),
    "sgd(lr=0.05, momentum=0.5, dampening=0.3)": lambda p: torch.optim.SGD(p, 0.05, 0.5, 0.3),
    "adafactor(lr=0.1)": lambda p: torch.optim.Adafactor(p, 0.1),
    "nadam(lr=0.02)": lambda p: torch.optim.NAdam(p, 0.02),
}
KEPT = tuple(words for words in CASES if "adafactor" not in words)
CONFIG = RunConfig(
    model="mlp(hidden=[6])",
    n_clients=3,
    n_sampled=3,
    n_rounds=2,
    n_local_steps=3,
    partition="iid",
    batch_size=16,
    checkpoint_every=1,
    dtype="float64",
)


def plain_rounds(config: RunConfig, make: Any, keeps: bool, mu: float = 0.0) -> torch.Tensor:
    """The server's model, from torch.nn and torch.optim alone, one optimiser for each client."""
    train = make_split(read_parts("digits"), "fractions", 0).train
    held = divide(make_partition("iid"), train.outputs.numpy(), 3, 0)
    model = make_model(config.model, train, 0)[1].double()
    net = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 6), torch.nn.ReLU(), torch.nn.Linear(6, 10)
    ).double()
    states: dict[int, Any] = {}
    for r in range(config.n_rounds):
        ends = []
        for client in range(3):
            torch.nn.utils.vector_to_parameters(model.clone(), net.parameters())
            optimiser = make(net.parameters())
            if keeps and client in states:
                optimiser.load_state_dict(states[client])
            first = model.clone()
            batches = step_batches(0, r, client, n_samples=len(held.parts[client]), batch_size=16, n_steps=3)
            for index in batches.index:
                rows = held.parts[client][index]
                optimiser.zero_grad()
                vector = torch.nn.utils.parameters_to_vector(net.parameters())
                loss = torch.nn.functional.cross_entropy(net(train.inputs[rows].double()), train.outputs[rows])
                (loss + mu / 2 * (vector - first).square().sum()).backward()
                optimiser.step()
            states[client] = optimiser.state_dict()
            ends.append(torch.nn.utils.parameters_to_vector(net.parameters()).detach().clone())
        model = torch.stack(ends).mean(0)
    return model


@pytest.mark.parametrize("words", CASES)
def test_local_steps_are_torch_s_own(words: str) -> None:
    found = run(replace(CONFIG, optimizer=words), make_rule("uniform")).model
    torch.testing.assert_close(found, plain_rounds(CONFIG, CASES[words], keeps=False), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("words", KEPT)
def test_a_state_that_clients_keep_is_torch_s_own_and_resumes_bit_for_bit(words: str, tmp_path: Path) -> None:
    kept = words[:-1] + ", keeps=true)"
    config = replace(CONFIG, optimizer=kept, n_rounds=3)
    run(replace(config, n_rounds=1), make_rule("uniform"), out=tmp_path / "r")
    found = run(config, make_rule("uniform"), out=tmp_path / "r").model
    assert torch.equal(found, run(config, make_rule("uniform")).model)
    # Counts of steps are kept in the run's precision, torch's own in float32: bias corrections differ in the 8th digit.
    torch.testing.assert_close(found, plain_rounds(config, CASES[words], keeps=True), rtol=1e-6, atol=1e-8)
    assert not torch.allclose(found, run(replace(config, optimizer=words), make_rule("uniform")).model, atol=1e-6)


def test_an_optimiser_is_given_the_gradient_that_the_client_corrected() -> None:
    words = "adamw(lr=0.01, weight_decay=0.1)"
    found = run(replace(CONFIG, optimizer=words, client="fed-prox(mu=2)"), make_rule("uniform")).model
    torch.testing.assert_close(found, plain_rounds(CONFIG, CASES[words], keeps=False, mu=2.0), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("client", ["scaffold", "fed-dyn(alpha=0.1)", "moon(mu=1)", "byzantine(attack=sign-flip)"])
def test_other_clients_go_with_an_optimiser(client: str) -> None:
    config = replace(CONFIG, client=client, optimizer="adam(lr=0.01, keeps=true)")
    found = run(config, make_rule("uniform"))
    assert found.status == "completed"
    assert not torch.equal(found.model, run(replace(config, client="sgd"), make_rule("uniform")).model)


def test_momentum_alone_is_the_one_of_both_worlds() -> None:
    config = replace(CONFIG, optimizer="sgd(lr=0.05, momentum=0.9, nesterov=true)")
    assert config == replace(CONFIG, local_lr=0.05, momentum=0.9, nesterov=True)
    convex = replace(CONFIG, model="softmax-regression", optimizer="sgd(momentum=0.5)", l2=0.01, floor="zero")
    assert simulated(convex, make_rule("uniform")) is not None


def test_the_words_are_kept_as_a_whole_and_old_folders_go_on() -> None:
    config = replace(CONFIG, optimizer="AdamW(lr=0.002, keeps=true, betas=[0.9, 0.95], foreach=none)")
    assert config.optimizer == "adamw(betas=[0.9, 0.95], foreach=none, keeps=true)"
    assert config.local_lr == 0.002
    assert replace(config, n_rounds=9).optimizer == config.optimizer
    assert make_optimiser(config.optimizer).text == config.optimizer
    identities = [run_identity(Setup.of(one, make_rule("uniform")), "cpu")["config"] for one in (CONFIG, config)]
    assert ["optimizer" in identity for identity in identities] == [False, True]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"optimizer": "adamv"}, "unknown optimizer 'adamv'; nearest: adam"),
        ({"optimizer": "adam(decay=1)"}, r"has no setting \['decay'\]; its settings are \['keeps', 'lr', 'betas'"),
        ({"optimizer": "adam(lr=0)"}, "lr=0; must be a finite number > 0"),
        ({"optimizer": "adam(betas=[2, 3])"}, "raised ValueError: Invalid beta parameter"),
        ({"optimizer": "lbfgs"}, "a step of it raised TypeError.*closure"),
        ({"optimizer": "sparseadam"}, "a step of it raised RuntimeError"),
        ({"optimizer": "adafactor(keeps=true)"}, "its state is not one number for each parameter"),
        ({"optimizer": "adam(lr=0.5)", "local_lr": 0.2}, "two rates; expected one"),
        ({"optimizer": "sgd(momentum=0.5)", "momentum": 0.9}, "two momenta; expected one"),
        ({"optimizer": "adam", "momentum": 0.9}, "two ways of a step; expected momentum=0"),
        ({"optimizer": "adam", "client": "apfl"}, "its local step is not SGD with a correction; expected no optimizer"),
        ({"optimizer": "muon"}, "Muon only supports 2D parameters"),
        ({"optimizer": "adam(keeps=true)", "cohort": "imbalanced(n_clients=5)"}, "keeps optimizer steps"),
    ],
)
def test_what_does_not_go_is_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        run(replace(CONFIG, **changes), make_rule("uniform"))
    assert "\n" not in str(caught.value)


def test_theory_s_simulator_has_no_such_run() -> None:
    config = replace(CONFIG, model="softmax-regression", l2=0.01, optimizer="adam")
    with pytest.raises(ValueError, match=r"optimizer='adam'.: theory's simulator has no such run"):
        simulated(config, make_rule("uniform"))
