"""The learning task of a run and how it is set up: data, model, cohorts, method, evaluation, signals, references."""
