"""Every letter that a result prints is said on its page, and what is said of an instance has its number."""

from __future__ import annotations

from pathlib import Path

import pytest

import paper_checks
from validation.ledger.ledger import load_entries
from validation.report.claims.claims import read_claims
from validation.report.claims.printed_letters import printed_letters, undefined
from validation.report.glosses import LETTERS, Glosses, read_glosses
from validation.report.text.mathml import mathml
from validation.report.text.symbols import bare, latex_of_symbol, symbols
from validation.statement.roles import RESULTS

ROOT = Path(paper_checks.__file__).parent
KEYS = ("exp_alpha", "fedaware", "efl", "fedssa", "robust_aggregation")


@pytest.mark.parametrize("key", KEYS)
def test_every_letter_of_a_result_is_said(key: str) -> None:
    glosses = read_glosses(ROOT / key)
    claims = read_claims([entry.json() for entry in load_entries(ROOT / key / "ledger.json")])
    for claim in claims:
        if claim.level in RESULTS:
            assert undefined(claim, glosses, None) == (), claim.id
            for latex, words in printed_letters(claim, glosses, None):
                assert str(mathml(latex, block=False)).startswith("<math"), (claim.id, latex)
                assert words, (claim.id, latex)


@pytest.mark.parametrize("key", KEYS)
def test_every_letter_that_is_said_is_printed_somewhere(key: str) -> None:
    glosses = read_glosses(ROOT / key)
    claims = read_claims([entry.json() for entry in load_entries(ROOT / key / "ledger.json")])
    printed = {s for claim in claims for s in symbols(claim.printed)}
    assert set(glosses.letters) <= printed | set(map(bare, printed))
    ids = {claim.id for claim in claims}
    assert set(glosses.own_letters) <= ids


def test_symbols_keep_accents_and_stars_and_leave_words_and_rounds() -> None:
    found = symbols(
        r"\frac1T\sum_{t=0}^{T-1}\mathbb E\|\nabla f(\mathbf x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta_l K}\Big)"
    )
    assert found == ("T", "f", "x", "O", "F*", "eta_l", "K")
    assert symbols(r"\bar{\mathbf W}^t-\mathbf W_i^*,\ \overline\rho\text{ and words}") == ("bar W", "W*", "bar rho")
    assert [bare(s) for s in ("eta_l", "F*", "bar rho")] == ["eta", "F", "bar rho"]
    assert latex_of_symbol("F_a*") == "F_a^*"


def test_a_note_is_of_an_instance_whose_number_is_not_one() -> None:
    glosses = Glosses(notes={"loose": "L is {loose} times the least"})
    assert glosses.noted({"loose": "1000"}) == ("L is 1000 times the least",)
    assert glosses.noted({"loose": "1"}) == glosses.noted({}) == ()


def test_a_letter_outside_of_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / LETTERS).write_text('F = "loss"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"letters.toml: 'F' outside of a table"):
        read_glosses(tmp_path)
