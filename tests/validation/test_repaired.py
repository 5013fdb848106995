"""The formula that holds: the edit is done in the print only where it stands there once, whole, and in formulas."""

from __future__ import annotations

import pytest

from validation.job.index import folder_of, points
from validation.job.ledger import load_entries
from validation.report.mathml import mathml
from validation.report.repaired import plain_latex, repaired

L3 = r"\mathbb E\Big[\sum_i\rho_i\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2\Big]\le4\eta_t^2(E-1)G^2,\ \eta_t\le2\eta_{t+E}"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("F̃ₖ(ω*)", r"\tilde F_k(\omega ^*)"),
        ("(E − 1)²", "(E - 1)^2"),
        ("4L(32τ²G² + σ²)", r"4L(32\tau ^2G^2 + \sigma ^2)"),
        ("max{B, 0}", r"\max \{B, 0\}"),
        ("W̄^t", r"\bar W^t"),
        ("upper index s − 1", None),
        ("☃", None),
    ],
)
def test_plain_formulas_become_latex(text: str, latex: str | None) -> None:
    assert plain_latex(text) == latex


@pytest.mark.parametrize(
    ("statement", "edit", "shown"),
    [
        (L3, "(E − 1)² in place of E − 1", r"\le4\eta_t^2{⟦(E - 1)^2⟧}G^2"),
        (r"a\widetilde F_k^\star-b", "F̃ₖ(ω*) in place of F̃ₖ* (EFL-E37)", r"a{⟦\tilde F_k(\omega ^*)⟧}-b"),
        (r"x\le\frac L2\|\bar{\mathbf W}^{T}-w\|", "W̄^t in place of W̄^T", r"\|{⟦\bar W^t⟧}-w\|"),
        (r"x\le8(E-1)^2G^2", "(E − 1)² in place of E − 1", None),  # the bracket has a power of its own
        (r"W^{t+1}", "W_i^t in place of W^t", None),  # only a part of the exponent
        (r"\mathbb E_s[x]\le\frac4K\eta_t^2EG^2", "E² in place of E", None),  # twice
        (r"a_E+b", "F in place of E", None),  # an index
        (r"a+b", "c in place of d", None),
        (r"a+b", "a factor 2 on the right", None),
        (r"a+b", "c in place of a; d in place of b", None),
    ],
)
def test_an_edit_is_done_where_it_is_certain(statement: str, edit: str, shown: str | None) -> None:
    found = repaired(statement, edit)
    assert (found is None) == (shown is None), found
    if found is not None and shown is not None:
        assert shown in found
        drawn = str(mathml(found))
        assert drawn.count('class="new"') == 1
        assert "⟦" not in drawn
        assert "⟧" not in drawn


def test_committed_edits_are_drawn() -> None:
    entries = [e for p in points() if (f := folder_of(p)) is not None for e in load_entries(f / "ledger.json")]
    done = {str(e["id"]): repaired(e["statement"], e["edit"]) for e in entries if e.get("edit")}
    shown = {name: latex for name, latex in done.items() if latex is not None}
    assert {"EA-L3", "EFL-E37", "RA-E18", "SSA-E57"} <= set(shown)
    assert "EA-T1d" not in shown
    assert all(str(mathml(latex)).count('class="new"') == 1 for latex in shown.values())
