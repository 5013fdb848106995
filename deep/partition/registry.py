"""Every partition by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from deep.partition.kinds.by_group import Clients, Domains, Speakers, Users
from deep.partition.kinds.dirichlet import Dirichlet
from deep.partition.kinds.dirichlet_clients import DirichletClients
from deep.partition.kinds.even import Iid, Stratified
from deep.partition.kinds.flips import Flipped, Partition
from deep.partition.kinds.half_balanced import HalfBalanced
from deep.partition.kinds.imbalance import Imbalance
from deep.partition.kinds.label_skew import Classes, Shards
from deep.partition.kinds.own import own_partition
from deep.partition.text import as_text, built

__all__ = ["PARTITIONS", "make_partition", "partition_text"]

PARTITIONS: Mapping[str, type[Partition]] = MappingProxyType(
    {
        "iid": Iid,
        "stratified": Stratified,
        "dirichlet": Dirichlet,
        "dirichlet-clients": DirichletClients,
        "classes": Classes,
        "shards": Shards,
        "imbalance": Imbalance,
        "half-balanced": HalfBalanced,
        "flipped": Flipped,
        "clients": Clients,
        "domains": Domains,
        "speakers": Speakers,
        "users": Users,
    }
)


def make_partition(text: str) -> Partition:
    """The partition that `text` describes, a user's own as "package.module:name".

    Raises `ValueError` naming the nearest ones, the settings, or the range.

    >>> make_partition("dirichlet(beta=0.3)")
    Dirichlet(beta=0.3, min_size=1, rounding='cumulative')
    >>> make_partition("flipped(base=classes(m=2), exact=true)").base
    Classes(m=2, equal=False)
    """
    own = own_partition(text)
    if own is not None:
        return own
    registry: Mapping[str, Callable[..., Partition]] = PARTITIONS
    return built(registry, "partition", text, inner=make_partition)


def partition_text(partition: Partition) -> str:
    """The text that `make_partition` turns back into `partition`, every setting named.

    >>> partition_text(Classes(m=2))
    'classes(m=2, equal=false)'
    """
    return as_text(PARTITIONS, partition)
