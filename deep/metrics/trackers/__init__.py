"""Callbacks for ``run(on_round=…)`` that show a run while it goes on: TensorBoard, MLflow, Weights & Biases."""
