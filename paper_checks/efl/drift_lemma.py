"""Lemma 3 of EFL, the drift of the local models within a round, and its last step (30), in every reading of the bracket."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from paper_checks.efl.drift_rounds import DEGREES, DRIFT, stated
from validation import Bound, Canary, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

E, G2, eta, steps, total, squares = symbols("E G2 eta steps total squares")


def sum_again(E: Any, G2: Any, eta: Any, steps: Any, total: Any, squares: Any) -> Any:
    """The right side of (20), every sign as printed."""
    return G2 * eta * eta * (E - 1) * (steps - 2 + total + squares)


def product_again(E: Any, G2: Any, eta: Any, steps: Any, total: Any, squares: Any) -> Any:
    """(20) without the plus before its last sum."""
    return (eta**2 * E - eta**2) * (G2 * steps + G2 * total * squares - 2 * G2 * squares)


def plus_again(E: Any, G2: Any, eta: Any, steps: Any, total: Any, squares: Any) -> Any:
    """(20) with that plus as the index of a positive part."""
    return G2 * eta**2 * (E - 1) * (steps + np.where(total > 2, total - 2, 0.0) * squares)


_C = (E - 1) * G2 * eta**2
_SUM = Bound(_C * (steps + (total - 2) + squares), again=sum_again, degrees=DEGREES)
_PRODUCT = Bound(_C * (steps + (total - 2) * squares), again=product_again, degrees=DEGREES)
_PLUS = Bound(_C * (steps + sp.Max(total - 2, 0) * squares), again=plus_again, degrees=DEGREES)


_READINGS = (
    Reading("bracket as printed", "Σps + (Σp − 2) + Σp²s/pᵏ; activity fixed before the batches.", stated(_SUM, DRIFT)),
    Reading("bracket read as a product", "Σps + (Σp − 2)Σp²s/pᵏ, the printed «+» dropped.", stated(_PRODUCT, DRIFT)),
    Reading(
        "bracket with a positive part",
        "Σps + (Σp − 2)₊Σp²s/pᵏ, the printed «+» read as a subscript; activity fixed before the batches.",
        stated(_PLUS, DRIFT),
    ),
)
_SEEING = Reading(
    "positive part, activity depends on the batches",
    "A step done when its gradient is large; both sides averaged over the batches, which is stronger than the print.",
    stated(_PLUS, DRIFT, sees=True),
)
_NO_LOCAL = Bound(_C * (sp.Max(total - 2, 0) * squares))
_CANARIES = (
    Canary("Σps dropped", stated(_NO_LOCAL, DRIFT), "two clients pulled apart drift although Σp = 1 < 2"),
    Canary(
        "(Σp − 2)₊Σp²s/pᵏ dropped",
        stated(Bound(_C * steps), DRIFT),
        "one client with p = 3 moves ω̄ three times as far as itself: its drift is twice its move",
    ),
)
_STATEMENT = (
    r"\mathbb{E}_{\xi}\Big[\sum_{k}p_{\tau}^{k}\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}\Big]\leq"
    r"(E-1)G^{2}\eta_{\tau}^{2}\Big(\sum_{k}p_{\tau}^{k}s_{\tau}^{k}+\Big(\sum_{k}p_{\tau}^{k}-2\Big)"
    r"+\sum_{k}\frac{(p_{\tau}^{k})^{2}s_{\tau}^{k}}{p^{k}}\Big)"
)
_ASSUMES = (
    "A4 at every client and step of the round: E‖g‖² <= G²",
    "all clients start the round at ω̄",
    "0 <= j <= E − 1; any non-negative coefficients",
)

L3 = Claim(
    id="EFL-L3",
    kind=Kind.INEQUALITY,
    source="Lemma 3, eq. (20), A.2.1",
    title="Drift of the local models",
    statement=_STATEMENT,
    says="The weighted squared distance of local models from the virtual one is bounded by the steps done in the round.",
    assumes=_ASSUMES,
    readings=(*_READINGS, _SEEING),
    canaries=_CANARIES,
    tight="with the positive part: one client of small p, equal gradients, the last step idle",
    depends_on=("EFL-A4", "EFL-E24", "EFL-E28", "EFL-E29", "EFL-E30"),
    verdict_words=(
        "The lemma holds with the bracket (Σp − 2)₊Σp²s/pᵏ in place of the printed (Σp − 2) + Σp²s/pᵏ: the «+» is "
        "most likely a subscript that came loose, in print or in the transcription. (24) multiplies the squared move "
        "of ω̄ by Σp − 2, and (28) bounds that move from above by Σp²s/pᵏ, so only a product with the positive part "
        "follows; then (24), (28), (29) prove it. The E⁵ of Sec. 4.2 also comes from a product and not from a sum. As "
        "printed the right side is negative when few clients take part with small coefficients, and too small for "
        "large ones; the product without «₊» fails as well. Activity is fixed before the batches, as E_ξ takes "
        "it; for activity that depends on them, averaged on both sides (ours), G² does not bound the gradients of the "
        "steps done."
    ),
)

E30 = Claim(
    id="EFL-E30",
    kind=Kind.INEQUALITY,
    source="Eq. (30), proof of Lemma 3",
    title="Conclusion of Lemma 3",
    statement=_STATEMENT,
    says="Inserting (28) and (29) into (24) gives the bound of Lemma 3.",
    assumes=_ASSUMES,
    readings=_READINGS,
    canaries=_CANARIES,
    tight="as Lemma 3",
    depends_on=("EFL-E24", "EFL-E28", "EFL-E29"),
    verdict_words=(
        "The misprint of Lemma 3: (Σp − 2)₊Σp²s/pᵏ must stand in place of (Σp − 2) + Σp²s/pᵏ. (24), into which (28) "
        "and (29) are put, forces it: Σp − 2 is a factor there, so where it is positive it multiplies Σp²s/pᵏ and is "
        "not added to it, and where it is negative the upper bound (28) cannot be put in, which also rules out the "
        "plain product. With (Σp − 2)₊ as a factor (30) follows."
    ),
)


CLAIMS: tuple[Claim, ...] = (L3, E30)
