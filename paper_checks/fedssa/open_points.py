"""What the paper leaves open for several claims: each point once, with what may be chosen."""

from __future__ import annotations

from validation.world import twice

__all__ = ["LAMBDAS", "OUTPUT"]

OUTPUT = twice(
    """below (4) ŷ_k is «the logits output of local model θ_k»; Appendix D calls ŷ_{k,m} the «predictions», the
        word used in Sec. 4.2 for the softmax output""",
    "logits",
    "softmax",
)
LAMBDAS = twice(
    """Sec. 5.1: «we set λ_var = 1 and λ_we = 1e − 3», and in the next sentence «For all methods, hyper-parameters
        are tuned for each dataset»""",
    "as set",
    "tuned",
)
