"""The letters of EFL."""

from __future__ import annotations

from validation.notation import Notation, Quantity

__all__ = ["NOTATION"]

NOTATION = Notation(
    (
        Quantity("T", "T", "rounds of the run", (0, 0)),
        Quantity("tau_0", r"\tau_0", "rounds before a client leaves", (0, 0)),
        Quantity("H", "H_T", "rounds in which E[p s]/pᵏ is not the same for all clients", (0, 0)),
        Quantity("moved", r"\|\lim_T\omega_{TE}^G-\omega^*\|", "how far from ω* the model tends", (0, 1)),
        Quantity("other", r"\|\omega_a^*-\hat\omega^*\|", "from the leaving client's optimum to the others'", (0, 1)),
        Quantity("end", r"\|\omega_{TE}^G-\omega^*\|", "distance to ω* at the end", (0, 1)),
        Quantity("end_later", r"\|\omega_{TE}^G-\omega^*\|", "the same, the client gone one round later", (0, 1)),
        Quantity(
            "held", r"\max_{\tau,k}\|\omega_{\tau E}^k-\omega_{\tau E}^G\|_\infty", "bases off the server", (0, 1)
        ),
        Quantity("twice", r"\|\omega^G-\omega^0-\text{work}+\text{residuals}\|_\infty", "what counts twice", (0, 1)),
        Quantity("twice_all", r"\|\omega^G-\omega^0-\text{work}\|_\infty", "the same without the residuals", (0, 1)),
        Quantity("line2", r"\|\Delta\omega^G-R^G-\sum_kp^k\Delta\omega^k\|_\infty", "second line of (6)", (0, 1)),
        Quantity("line3", r"\|\Delta\omega^G-R^G+\sum_kp^k\sum_{j<s}\eta g_j\|_\infty", "third line of (6)", (0, 1)),
        Quantity("line3_late", r"\|\Delta\omega^G-R^G+\sum_kp^k\sum_{j\le s}\eta g_j\|_\infty", "as printed", (0, 1)),
    )
)
