"""FedAvg, FedProx, SCAFFOLD and FedAdam against pfl-research, which is no dependency: skipped where it is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.theory.algorithms.test_algorithms_identities import WrongSign
from theory import GivenSteps, constant_steps, make_rule, simulate
from theory.algorithms import Client, Server, make_client, make_server
from theory.base.streams import stream
from theory.federations.empirical import LogisticFederation

pytest.importorskip("pfl", reason="pfl-research (pip install pfl) is not installed")

Floats = NDArray[np.float64]
SIZES, DIM, CLASSES, L2 = (12, 7, 20, 9), 5, 3, 0.05
ETA, STEPS = 0.2, 4
COHORTS = ((0, 1, 2, 3), (0, 2), (3, 1), (2, 1), (0, 3), (0, 1))  # as many in all but the first, as pfl wants


def federation() -> LogisticFederation:
    """Softmax regression of four clients with samples of their own kind, in float64."""
    rng, n_max = stream(0, "pfl"), max(SIZES)
    features = np.zeros((len(SIZES), n_max, DIM))
    targets, mask = np.zeros((len(SIZES), n_max, CLASSES)), np.zeros((len(SIZES), n_max))
    for k, n in enumerate(SIZES):
        features[k, :n] = rng.normal(size=(n, DIM)) + rng.normal(size=DIM)
        targets[k, np.arange(n), rng.integers(CLASSES, size=n)] = 1.0
        mask[k, :n] = 1.0
    nowhere = np.full((len(SIZES), DIM * CLASSES), np.nan)
    share = np.array(SIZES) / sum(SIZES)
    return LogisticFederation(features, targets, mask, L2, share, nowhere[:, 0], nowhere, nowhere[0])


class Softmax(torch.nn.Module):
    """The same regression as pfl takes it."""

    def __init__(self, start: Floats) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor(start.reshape(DIM, CLASSES), dtype=torch.float64))

    def loss(self, x: torch.Tensor, y: torch.Tensor, **_: object) -> torch.Tensor:
        return -(torch.log_softmax(x @ self.w, -1) * y).sum(-1).mean() + L2 / 2 * (self.w**2).sum()

    def metrics(self, x: torch.Tensor, y: torch.Tensor, **_: object) -> dict[str, Any]:
        from pfl.metrics import Weighted

        return {"loss": Weighted(float(self.loss(x, y).detach()), 1)}


def theirs(algorithm: Any, params: Callable[..., Any], central: Any, cohorts: Any, *, by_data: bool) -> Floats:
    """The models before the first round and after each, of pfl-research."""
    from pfl.aggregate.simulate import SimulatedBackend
    from pfl.aggregate.weighting import WeightByDatapoints
    from pfl.callback.base import TrainingProcessCallback
    from pfl.data.dataset import Dataset
    from pfl.data.federated_dataset import FederatedDataset
    from pfl.hyperparam import NNTrainHyperParams
    from pfl.metrics import Metrics
    from pfl.model.pytorch import PyTorchModel

    base = federation()
    module = Softmax(start())
    seen = [start()]

    class Keep(TrainingProcessCallback):  # type: ignore[misc]
        def after_central_iteration(self, *_: Any, **__: Any) -> Any:
            seen.append(module.w.detach().numpy().ravel().copy())
            return False, Metrics()

    def dataset(k: int) -> Any:
        rows = int(base.mask[k].sum())
        x, y = (torch.tensor(np.asarray(part)[k, :rows]) for part in (base.features, base.targets))
        return Dataset((x, y), user_id=str(k))

    order: Iterator[int] = chain(chain.from_iterable(cohorts), iter(lambda: 0, 1))
    data = FederatedDataset(dataset, lambda: next(order))
    backend = SimulatedBackend(data, data, postprocessors=[WeightByDatapoints()] if by_data else [])
    algorithm.run(
        algorithm_params=params(
            central_num_iterations=len(cohorts),
            evaluation_frequency=10**6,
            train_cohort_size=len(cohorts[0]),
            val_cohort_size=None,
        ),
        backend=backend,
        model=PyTorchModel(module, torch.optim.SGD, central([module.w])),
        model_train_params=NNTrainHyperParams(local_num_epochs=STEPS, local_learning_rate=ETA, local_batch_size=None),
        callbacks=[Keep()],
        send_metrics_to_platform=False,
    )
    return np.stack(seen)


def start() -> Floats:
    return stream(1, "pfl").normal(size=DIM * CLASSES)


def ours(rule: str, client: Client, server: Server, cohorts: Any) -> Floats:
    steps = tuple(tuple(STEPS if k in cohort else 0 for k in range(len(SIZES))) for cohort in cohorts)
    found = simulate(
        federation(),
        make_rule(rule),
        start=start(),
        step_sizes=constant_steps(ETA, STEPS * len(cohorts)),
        n_local_steps=STEPS,
        participation=GivenSteps(steps),
        client=client,
        server=server,
    )
    return np.asarray(found.models)


EVERYONE, SOME = COHORTS[:1] * 6, COHORTS[1:]


@pytest.mark.parametrize("cohorts", [EVERYONE, SOME], ids=["everyone", "some"])
@pytest.mark.parametrize("name", ["fed-avg", "fed-prox", "fed-adam"])
def test_they_agree_with_pfl_research(name: str, cohorts: Any) -> None:
    from pfl.algorithm.base import NNAlgorithmParams
    from pfl.algorithm.federated_averaging import FederatedAveraging
    from pfl.algorithm.fedprox import FedProx, FedProxParams

    def sgd(parameters: Any) -> Any:
        return torch.optim.SGD(parameters, lr=0.7)

    def adam(parameters: Any) -> Any:
        return torch.optim.Adam(parameters, lr=0.05, betas=(0.9, 0.99), eps=1e-3)

    if name == "fed-prox":
        other = theirs(FedProx(), lambda **p: FedProxParams(mu=0.8, **p), sgd, cohorts, by_data=True)
    else:
        other = theirs(
            FederatedAveraging(), NNAlgorithmParams, adam if name == "fed-adam" else sgd, cohorts, by_data=True
        )
    client = make_client("fed-prox(mu=0.8)" if name == "fed-prox" else "sgd")
    adaptive = "fed-adam(lr=0.05, beta1=0.9, beta2=0.99, tau=0.001, bias_correction=true)"
    server = make_server(adaptive if name == "fed-adam" else "rate(lr=0.7)")
    found = ours("proportional", client, server, cohorts)
    assert np.abs(np.diff(found, axis=0)).max(axis=1).min() > 1e-2
    assert np.abs(found - other).max() < 1e-6  # pfl sends updates in float32


@pytest.mark.parametrize("option", ["I", "II"])
@pytest.mark.parametrize("cohorts", [EVERYONE, SOME], ids=["everyone", "some"])
@pytest.mark.parametrize("as_shipped", [True, False], ids=["as shipped", "sign mended"])
def test_scaffold_agrees_with_pfl_research_but_for_a_sign(
    option: str, cohorts: Any, as_shipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pfl 0.6 keeps cₖ as minus the mean gradient, yet adds c − cₖ to the step: its correction has the sign turned.

    Shipped, it is our SCAFFOLD with that sign turned; with its two variates negated where its step adds them, ours.
    With option I it keeps a view of memory that the next client's update is written to: copied here, in both forms.
    """
    from pfl.algorithm.scaffold import SCAFFOLD, SCAFFOLDParams
    from pfl.data.user_state import InMemoryUserStateStorage
    from pfl.internal.bridge.pytorch.scaffold import PyTorchSCAFFOLDBridge
    from pfl.model.pytorch import PyTorchModel

    difference = PyTorchModel.get_model_difference
    monkeypatch.setattr(PyTorchModel, "get_model_difference", lambda s, other, **_: difference(s, other, clone=True))
    shipped = PyTorchSCAFFOLDBridge.do_control_variate_sgd

    def mended(model: Any, user_dataset: Any, train_params: Any, local_c: Any, server_c: Any) -> None:
        own, mean = (c.apply_elementwise(lambda v: -v) for c in (local_c, server_c))
        shipped(model, user_dataset, train_params, own, mean)

    if not as_shipped:
        monkeypatch.setattr(PyTorchSCAFFOLDBridge, "do_control_variate_sgd", staticmethod(mended))

    def params(**given: Any) -> Any:
        return SCAFFOLDParams(
            population=len(SIZES),
            use_gradient_as_control_variate=option == "I",
            user_state_storage=InMemoryUserStateStorage(),
            **given,
        )

    def sgd(parameters: Any) -> Any:
        return torch.optim.SGD(parameters, lr=1.0)

    other = theirs(SCAFFOLD(), params, sgd, cohorts, by_data=False)
    right = make_client("scaffold", option=option, variates="uniform")
    found = ours("uniform", WrongSign(right, "shift") if as_shipped else right, make_server("rate"), cohorts)
    assert np.abs(found - other).max() < 1e-6
    turned = ours("uniform", right if as_shipped else WrongSign(right, "shift"), make_server("rate"), cohorts)
    assert np.abs(turned - other).max() > 1e-2
