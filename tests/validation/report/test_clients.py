"""The table of an instance's clients has a row a client, whichever axis of an array is theirs."""

from __future__ import annotations

import pytest

from validation.report.counterexample.clients import Clients, clients_of, n_clients

SQUARE = [["1", "2"], ["3", "4"]]
ROWS, COLUMNS = (("1", "2"), ("3", "4")), (("1", "3"), ("2", "4"))


def _table(name: str, value: object, words: str, n: int = 2) -> Clients | None:
    return clients_of({name: value}, {name: words}, {"clients N": str(n)})


@pytest.mark.parametrize(
    "words",
    [
        "of each client, one entry a client, of several coordinates one row",
        "of each client, one entry a client; of several coordinates one row a client",
        "one row a client, one entry a coordinate",
        "by client and, if several, coordinate",
    ],
)
def test_as_many_coordinates_as_clients_do_not_turn_the_table_round(words: str) -> None:
    found = _table("optimum", SQUARE, words)
    assert found is not None
    assert (found.columns, found.rows) == ((("optimum", 1), ("optimum", 2)), ROWS)


@pytest.mark.parametrize(
    "words", ["one entry a client; of several rows one a round", "one row a round, one entry a client"]
)
def test_rows_of_rounds_become_columns(words: str) -> None:
    found = _table("weights", SQUARE, words)
    assert found is not None
    assert (found.columns, found.rows) == ((("weights", 1), ("weights", 2)), COLUMNS)


def test_rows_of_patterns_are_not_those_of_clients() -> None:
    found = _table("coefficient", SQUARE, "p_τᵏ/pᵏ by pattern and client")
    assert found is not None
    assert found.rows == COLUMNS
    assert n_clients({"coefficient": [["1"], ["2"]]}, {"coefficient": "by pattern and client"}) is None


def test_a_square_array_of_which_nothing_tells_the_axes_is_in_no_table() -> None:
    assert _table("local", SQUARE, "one entry a client") is None
    found = _table("local", [["1", "2", "3"], ["4", "5", "6"]], "one entry a client", n=3)
    assert found is not None
    assert found.rows == (("1", "4"), ("2", "5"), ("3", "6"))
