"""A wrong sign in the source of an algorithm goes red: the plain loop of that algorithm sees it."""

from __future__ import annotations

import pytest

from tests.theory.algorithms.test_algorithms_identities import TURNED
from tests.theory.algorithms.test_algorithms_loops import SETTINGS, agree, both, clients
from tests.theory.planted import planted
from theory.algorithms import client_entries

PLANTED = [
    ("fed_for", "fed-for", "oracle(model) - held", "oracle(model) + held"),
    ("fed_for", "fed-for", "along < 0", "along > 0"),
    ("fed_for", "fed-for", 'broadcast["model"] - broadcast["before"]', 'broadcast["before"] - broadcast["model"]'),
    ("fed_for", "fed-for(always)", "shift=-self.alpha", "shift=self.alpha"),
    ("apfl", "apfl", "personal - rate *", "personal + rate *"),
    ("apfl", "apfl", "model - rate * oracle(model)", "model + rate * oracle(model)"),
    ("apfl", "apfl", "mixed = alpha * personal + (1 - alpha)", "mixed = alpha * personal - (1 - alpha)"),
    ("apfl", "apfl", "return alpha * personal + (1 - alpha)", "return alpha * personal - (1 - alpha)"),
    ("apfl", "apfl(learned)", "alpha - rate * along", "alpha + rate * along"),
    ("apfl", "apfl(learned)", "slope * (personal - model)", "slope * (model - personal)"),
    ("p_fed_me", "p-fed-me", "personal - inner *", "personal + inner *"),
    ("p_fed_me", "p-fed-me", "self.lam * (personal - model)", "self.lam * (model - personal)"),
    ("p_fed_me", "p-fed-me", "self.lam * (model - personal)", "self.lam * (personal - model)"),
    ("local_only", "local-only", '- rate * oracle(carried["personal"])', '+ rate * oracle(carried["personal"])'),
]


@pytest.mark.parametrize(("module", "name", "right", "wrong"), PLANTED)
def test_a_wrong_sign_in_the_source_is_seen(
    module: str, name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = planted(f"theory.algorithms.clients.{module}", right, wrong)
    client, _, form = name.partition("(")
    settings = {"always)": {"alpha": 0.4, "form": "always"}, "learned)": {"alpha": 0.4, "learned": True}}.get(
        form, SETTINGS[client]
    )
    made = broken.ENTRY.build(**settings)
    monkeypatch.setattr("tests.theory.algorithms.test_algorithms_loops.make_client", lambda *_, **__: made)
    with pytest.raises(AssertionError):
        agree(*both(client, "rate", settings, {}, clients()))


def test_every_algorithm_of_the_registry_has_a_wrong_sign_that_is_seen() -> None:
    """Here, or turned in `test_algorithms_identities` beside all servers; four have none of their own to turn."""
    seen = {name.partition("(")[0] for _, name, _, _ in PLANTED} | {name for name, _ in TURNED}
    assert {entry.name for entry in client_entries()} - seen == {"byzantine", "compressed", "elastic", "sgd"}
