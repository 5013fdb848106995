"""The short form of `tests.deep.fuzzing`: a few dozen inputs for each reader of files and texts.

That a text is refused is shown by what is refused; that the inputs reach beyond the refusal, by how many are read.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deep.fuzz_texts import MADE, TEXTS
from tests.deep.fuzzing import TARGETS, fuzz
from tests.deep.valid_texts import NAMES, ODD, valid

NEEDED = {"at_round": "1", "client": "0", "n_sampled": "2", "probability": "0.5", "steps": "[[1, 2, 3, 1]]"}


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_read_is_read_or_refused_by_name(name: str) -> None:
    seen = fuzz(TARGETS[name], 40)
    assert seen.inputs >= 20
    if name in TEXTS:
        assert seen.read >= 2, f"of {seen.inputs} inputs {seen.refused} were refused: the rest is never reached"


@pytest.mark.parametrize(("kind", "name"), [(kind, entry.name) for kind in MADE for entry in NAMES[kind]])
@given(data=st.data())
@settings(max_examples=10)
def test_every_registered_name_is_read_with_plausible_settings(kind: str, name: str, data: st.DataObject) -> None:
    """And where what was made has a text, that makes the same."""
    text = data.draw(valid(kind, name))
    make, text_of = MADE[kind]
    made = make(text)
    assert make(text) == made
    if text_of is not None:
        assert make(text_of(made)) == made


@pytest.mark.parametrize("kind", MADE)
def test_every_setting_takes_an_odd_value_or_refuses_it_by_name(kind: str) -> None:
    """Words for numbers, lists for both, parts of another kind: a message about the text, never another error."""
    make, _ = MADE[kind]
    for entry in NAMES[kind]:
        for setting in (*entry.settings, *entry.inner):
            for value in ODD:
                others = {n: NEEDED.get(n, "proportional") for n in (*entry.needed, *entry.together)}
                given = {**others, setting: value}
                text = f"{entry.name}({', '.join(f'{n}={v}' for n, v in given.items())})"
                try:
                    make(text)
                except ValueError as error:
                    said = str(error)
                else:
                    continue
                assert any(name in said for name in TEXTS[f"{kind}s"].names), (text, said)
