"""What is a name of ours is in words on a page: numbers of an instance, sizes, what is open and how it is read."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from validation.report.claims.answer import _marked
from validation.report.claims.wording import issue_words, read_as
from validation.report.counterexample.clients import sizes_of
from validation.report.site import _environment
from validation.report.text.letters import Letters

NUMBERS = '{% import "macros.html.jinja" as m %}{{ m.numbers(rows, "its", letters, words) }}'
ROWS = (("near", "", "1/2"), ("mu", "", "3"), ("bare", "", "4"))


def test_a_number_is_called_by_words_first_and_by_its_name_in_the_script_last() -> None:
    words = {"near": "distance of the optima", "mu": "strong convexity"}
    shown = _environment().from_string(NUMBERS).render(rows=ROWS, letters=Letters(), words=words)
    first, second, third = shown.split("<tr>")[1:]
    assert first.index("distance of the optima") < first.index("1/2") < first.index("<code>near</code> in the script")
    assert second.index("<math") < second.index("3</pre>") < second.index("strong convexity")
    assert "<code>mu</code>" not in second
    assert "bare</th>" in third


def test_the_number_of_rounds_stands_once_among_the_sizes() -> None:
    assert sizes_of("1 client, E = 1, 7 rounds", "#1 N=1, R=7", {}, 1) == (("N", "1"), ("E", "1"), ("rounds", "7"))
    assert ("R", "8") in sizes_of("1 client, E = 1, 7 rounds", "#1 N=1, R=8", {}, 1)


@pytest.mark.parametrize(
    ("key", "words"),
    [("about", "the word «about»"), ("window", "the window"), ("stands_for", "what it stands for")],
)
def test_what_is_open_is_called_as_a_reader_would(key: str, words: str) -> None:
    assert issue_words(key) == words


def test_a_letter_read_as_at_a_place_of_the_paper_is_said_with_its_formula() -> None:
    why = "the theorem prints γ = L/μ, the proof (A.9) γ = max{8L/μ, E} − 1"
    assert read_as([("gamma", "A.9")], {"gamma": why}) == "γ = max{8L/μ, E} − 1 as in A.9"
    assert read_as([("gamma", "A.9")], {"gamma": "printed twice"}) == "γ as in A.9"
    assert read_as([("window", "all t")], {}) == "the window as “all t”"


@pytest.mark.parametrize(
    ("edit", "drawn"),
    [
        ("a in place of b in the sum", "<ins>a</ins> in place of <del>b</del> in the sum"),
        ("a in place of b", "<ins>a</ins> in place of <del>b</del>"),
        ("a dropped", "<ins>a dropped</ins>"),
    ],
)
def test_only_what_is_gone_is_marked_as_gone(edit: str, drawn: str) -> None:
    assert _marked(edit) == Markup(drawn)
