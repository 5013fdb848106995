"""pfl-research, its own local training: PyTorchSGDBridge on a user's Dataset, as FederatedAveraging calls it."""

from __future__ import annotations

from typing import Any

import torch
from pfl.data.dataset import Dataset
from pfl.hyperparam import NNTrainHyperParams
from pfl.internal.bridge.pytorch.sgd import PyTorchSGDBridge
from pfl.model.pytorch import PyTorchModel
from torch.nn.functional import cross_entropy


def prepare(task: Any, module: Any, load: Any, flat: Any, local_lr: float) -> Any:
    """All clients' models, (n_clients, n_parameters), from a callable."""
    load(module, task.start)
    module.loss = lambda inputs, classes: cross_entropy(module(inputs), classes)
    module.metrics = lambda inputs, classes: {}
    model = PyTorchModel(module, torch.optim.SGD, torch.optim.SGD(module.parameters(), lr=1.0))
    users = [Dataset(list(part)) for part in task.parts()]
    hyper = NNTrainHyperParams(local_num_epochs=1, local_learning_rate=local_lr, local_batch_size=task.batch_size)
    initial = model.get_parameters()

    def run() -> Any:
        found = []
        for user in users:
            PyTorchSGDBridge.do_sgd(model, user, hyper)
            model.get_model_difference(initial)
            found.append(flat(module))
            model.set_parameters(initial)
        return torch.stack(found)

    return run
