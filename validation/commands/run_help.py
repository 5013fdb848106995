"""What the options of `fedverdict run`, `simulate` and `reference` mean, and the headings they stand under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["HEADINGS", "HELP"]

HELP: Mapping[str, str] = {
    "dataset": "A bundled data set, or one with its files under --data-root.",
    "model": "A model, with settings if needed: 'mlp(hidden=[128])'.",
    "n_clients": "Number of clients.",
    "n_sampled": "Number of clients in each round.",
    "partition": "How samples are split among clients: 'iid', 'classes(m=2)', 'dirichlet(beta=0.3)', …",
    "participation": "Which clients take part, and for how many steps: 'bernoulli(probability=0.3)', …",
    "cohort": "Clients resampled every round, such as 'imbalanced(n_clients=10)', in place of a fixed population.",
    "split": "Which samples are for training, validation and test, such as 'official'.",
    "scaling": "How inputs are normalised: per data set, per channel, to [-1, 1], or not at all.",
    "augment": "Augment training images: crop after padding by 4 pixels, flip, or both.",
    "client_test": "Fraction of each client's samples that is held out to evaluate its own model.",
    "n_rounds": "Number of rounds.",
    "n_local_steps": "SGD steps per client and round, each on a fresh batch.",
    "n_local_epochs": "Passes over a client's samples per round; replaces --local-steps.",
    "batch_size": "Samples in a batch.",
    "local_work": "Passes and batch size drawn per client and round, such as 'drawn(fewest=2, most=5)'.",
    "local_lr": "Step size of local SGD.",
    "lr_decay": "Factor on the local step size from one round to the next.",
    "lr_restart": "Round in which the decay of the local step size restarts; 0: never.",
    "momentum": "Momentum of local SGD; its velocity starts at 0 in every round.",
    "nesterov": "Use Nesterov's momentum in local SGD.",
    "optimizer": "Local steps by an optimiser of torch.optim, such as 'adamw(lr=1e-3, weight_decay=0.01)'.",
    "l2": "Add l2/2 times the squared norm of the model to every client's loss.",
    "client": "A client algorithm, see `fedverdict algorithms`: 'scaffold', 'fed-prox(mu=0.1)', …",
    "server": "A server optimiser, see `fedverdict algorithms`: 'fed-adam(lr=0.01)', …",
    "server_lr": "Factor on the combined update; 1 is FedAvg.",
    "target": "Class distributions to evaluate on, such as 'exponential(rho=100)'; separate several by semicolons.",
    "n_target_samples": "Unlabelled samples that rules may read outputs on; 0: as many as the target allows.",
    "target_source": "Source of those samples: validation, test samples set apart, or the evaluated test samples.",
    "views": "How two views of those samples are augmented, such as 'views(crop=0.5)'.",
    "losses": "Clients whose losses are measured every round.",
    "trains": "Train every client of the round, or only those that the rule gives weight before training.",
    "floor": "Estimate of each client's least loss; 'auto' solves convex models with l2, and uses 0 for others.",
    "buffers": "Average running statistics, or keep normalisation layers local (FedBN).",
    "trainer": "Train the clients of a round in turn, together, or in the way measured to be faster.",
    "dtype": "Precision of models, updates and samples.",
    "products": "Precision of matrix products in local training: full, TF32 (on CUDA) or bfloat16 factors.",
    "compiled": "Compile the gradients of local steps; needs a C++ compiler, or Triton on CUDA.",
    "evaluate_every": "Rounds between evaluations.",
    "validation": "Evaluate on validation samples every time, or only when a rule reads them and at the end.",
    "seed": "Seed of all random numbers, and of a rule's draws unless the rule has a seed of its own.",
    "data_seed": "Another seed for split and partition; -1: use --seed.",
    "cohort_seed": "Another seed for participation; -1: use --seed.",
    "training_seed": "Another seed for the initial model, batches and augmentation; -1: use --seed.",
    "checkpoint_every": "Rounds between checkpoints; does not change results.",
}

HEADINGS: Mapping[str, Sequence[str]] = {
    "Run": (
        *(
            "file",
            "rule",
            "rules",
            "rule_settings",
            "out",
            "n_rounds",
            "seeds",
            "dry_run",
            "cards",
            "print_config",
            "steps",
        ),
        *("rate", "as_json", "overwrite", "traceback"),
    ),
    "Data and clients": (
        *("dataset", "data_root", "split", "scaling", "augment", "family", "n_clients", "n_sampled", "partition"),
        *("participation", "cohort"),
    ),
    "Model and local training": (
        *("model", "n_local_steps", "n_local_epochs", "batch_size", "local_work", "local_lr", "lr_decay"),
        *("lr_restart", "momentum", "nesterov", "optimizer", "l2", "client"),
    ),
    "Server": ("server", "server_lr", "trains", "buffers", "floor", "references"),
    "Evaluation": (
        *("evaluate_every", "losses", "validation", "client_test", "target", "n_target_samples", "target_source"),
        *("views", "tensorboard", "mlflow", "wandb", "experiment"),
    ),
    "Randomness": ("seed", "data_seed", "cohort_seed", "training_seed"),
    "Speed and precision": ("device", "trainer", "dtype", "products", "compiled", "checkpoint_every"),
}
