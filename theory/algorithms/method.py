"""Method: a rule, a client algorithm and a server together, refused where they do not compose."""

from __future__ import annotations

from dataclasses import dataclass, field

from theory.algorithms.client import Client
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.server import Server
from theory.algorithms.servers.rate import Rate
from theory.base.checks import check_rule
from theory.rules.combinators.project import Project
from theory.rules.protocol import AnyRule

__all__ = ["Method", "refusal"]


@dataclass(frozen=True)
class Method:
    """What decides a round besides data and participation: `rule`, `client` and `server`.

    Raises `ValueError` with the reason where they do not go together, as `refusal` says.
    """

    rule: AnyRule
    client: Client = field(default_factory=SGD)
    server: Server = field(default_factory=Rate)

    def __post_init__(self) -> None:
        check_rule("Method", "rule", self.rule)
        for name, value, expected in (("client", self.client, "carry"), ("server", self.server, "lr")):
            if isinstance(value, type) or not hasattr(value, expected):
                raise ValueError(f"Method({name}={value!r}): expected a {name}, such as one of make_{name}")
        reason = refusal(self.rule, self.client, self.server)
        if reason:
            raise ValueError(f"Method(rule={self.rule!r}, client={self.client!r}, server={self.server!r}): {reason}")

    @property
    def remembers_clients(self) -> str:
        """What keeps something of each client from round to round, so that fresh cohorts are refused; or nothing."""
        if self.client.keeps:
            return f"client {type(self.client).__name__} keeps {', '.join(self.client.keeps)} of each client"
        if self.server.remembers:
            return f"server {type(self.server).__name__} keeps moving averages of each client's updates"
        return ""


def refusal(rule: AnyRule, client: Client, server: Server) -> str:
    """Why the three do not compose, or nothing.

    >>> from theory.algorithms.text import make_client, make_server
    >>> from theory.rules import Proportional
    >>> refusal(Proportional(), make_client("scaffold"), make_server("fed-adam"))
    ''
    """
    if isinstance(rule, Project) and not isinstance(server, Rate):
        return "×AWARE projects what the server makes, not what it is given; expected server 'aware(server=…)'"
    return client.refuses(rule, server) or server.refuses(rule)
