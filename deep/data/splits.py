"""Training, validation and test samples: seeded cuts, and the ones the papers use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol

from deep.base.lazy import torch
from deep.base.names import pick
from deep.data.parts import Parts
from deep.data.samples import AnySamples, Samples, Samples_co, TokenDataset
from deep.data.selection import subset
from theory.base.streams import stream

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "SPLITS",
    "Recipe",
    "Split",
    "cut",
    "digits_split",
    "domain_split",
    "efl_split",
    "hold_out",
    "in_text_order",
    "keep_whole",
    "make_split",
    "overlapping",
    "per_group",
    "small",
    "split",
    "split_in_order",
]


@dataclass(frozen=True, eq=False)
class Split(Generic[Samples_co]):
    """A data set cut in three: clients share `train`; `validation` and `test` stay with the server.

    Rounds, rules and hyperparameters are chosen on `validation` alone, None where all of the training part is trained
    on; `test` is for the number that is reported.
    """

    train: Samples_co
    validation: Samples_co | None
    test: Samples_co


def split(
    dataset: AnySamples, seed: int, fractions: tuple[float, float, float] = (0.7, 0.15, 0.15)
) -> Split[AnySamples]:
    """Train, validation and test: a seeded permutation cut at the rounded fractions, not stratified.

    `fractions` are > 0 and sum to 1; the test part takes what rounding leaves.
    Raises `ValueError` for other fractions, or when a part would be empty.
    """
    _check_fractions("split", fractions)
    n = len(dataset)
    n_train, n_validation = round(fractions[0] * n), round(fractions[1] * n)
    sizes = (n_train, n_validation, n - n_train - n_validation)
    if min(sizes) < 1:
        raise ValueError(f"split(fractions={fractions}): {n} samples give parts of {sizes}; every part needs >= 1")
    return Split(*cut(dataset, seed, sizes))


def cut(dataset: AnySamples, seed: int, sizes: tuple[int, ...]) -> tuple[AnySamples, ...]:
    """Parts of the given sizes from one seeded permutation; what they leave over is not used.

    Raises `ValueError` for a size below 1, or sizes that sum to more than there is.
    """
    n = len(dataset)
    if min(sizes) < 1 or sum(sizes) > n:
        raise ValueError(f"{dataset.name!r}: cut to parts of {sizes}; every part needs >= 1, together <= {n} samples")
    order = torch.from_numpy(stream(seed, "split").permutation(n)[: sum(sizes)]).to(dataset.outputs.device)
    return tuple(subset(dataset, part) for part in torch.split(order, list(sizes)))


def split_in_order(
    dataset: AnySamples, gap: int = 0, fractions: tuple[float, float, float] = (0.8, 0.1, 0.1)
) -> Split[AnySamples]:
    """Each group by itself, in the order of its samples: first training, then validation, then test.

    For windows over a text, which overlap their neighbours: `gap` samples are left out between two parts, and with
    ⌈length / stride⌉ of them no character a window of validation or test is asked for, or sees, was in training.
    A group of n samples is cut at the rounded fractions of n − 2·gap; one too small for three parts is left out.

    Source: none of the papers; the order in time is LEAF's (Caldas et al. 2018), who also drop what overlaps.
    Raises `ValueError` for `gap` < 0, fractions as in `split`, samples without groups, or no group large enough.
    """
    _check_fractions("split_in_order", fractions)
    if gap < 0:
        raise ValueError(f"split_in_order(gap={gap}): must be >= 0")
    if dataset.groups is None:
        raise ValueError(
            f"split_in_order: the samples of {dataset.name!r} have no group; expected speakers or the like"
        )
    kept: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([], [], [])
    for group in range(len(dataset.groups.names)):
        own = torch.nonzero(dataset.groups.index == group)[:, 0]
        n = len(own) - 2 * gap
        n_train, n_validation = round(fractions[0] * n), round(fractions[1] * n)
        if min(n_train, n_validation, n - n_train - n_validation) < 1:
            continue
        first, second = n_train + gap, n_train + n_validation + 2 * gap
        for part, indices in zip(kept, (own[:n_train], own[first : second - gap], own[second:]), strict=True):
            part.append(indices)
    if not kept[0]:
        raise ValueError(f"split_in_order(gap={gap}): no group of {dataset.name!r} is large enough for three parts")
    return Split(*(subset(dataset, torch.cat(part)) for part in kept))


def hold_out(parts: Parts[AnySamples], seed: int, validation: tuple[int, int] = (3, 10)) -> Split[AnySamples]:
    """The official test part as it is; `validation` = (a, b) keeps ⌈a·n/b⌉ of n training samples for selection.

    An official validation part is used as it is, too, and `train` then stays whole.

    Source: exp_alpha, A.4: CIFAR-10 is cut to 35,000 / 15,000 / 10,000, which is 3/10 of the training part and the
    official test part (that these 10,000 are the official ones is our reading). Which 15,000 is open: ours are seeded.
    Raises `ValueError` when there is no official test part, or `validation` is not a proper fraction.
    """
    a, b = validation
    if not 0 < a < b:
        raise ValueError(f"hold_out(validation={validation}): expected (a, b) with 0 < a < b, the fraction a/b")
    if parts.test is None:
        raise ValueError(f"hold_out: {parts.train.name!r} has no official test part; use split(…) with fractions")
    if parts.validation is not None:
        return Split(parts.train, parts.validation, parts.test)
    n = len(parts.train)
    kept = -(-a * n // b)
    train, chosen = cut(parts.train, seed, (n - kept, kept))
    return Split(train, chosen, parts.test)


def keep_whole(parts: Parts[AnySamples], _seed: int) -> Split[AnySamples]:
    """The official parts as they are: all training samples are trained on, and without an official validation part
    none.

    Raises `ValueError` when there is no official test part.
    """
    if parts.test is None:
        raise ValueError(f"keep_whole: {parts.train.name!r} has no official test part; use split(…) with fractions")
    return Split(parts.train, parts.validation, parts.test)


def small(parts: Parts[AnySamples], seed: int) -> Split[AnySamples]:
    """1,000 training samples and 1,000 of the official test part, drawn by the seed; none for validation.

    For demonstrations that a laptop shall do in minutes. Raises `ValueError` as `hold_out` and `cut` do.
    """
    if parts.test is None:
        raise ValueError(f"small: {parts.train.name!r} has no official test part; use split(…) with fractions")
    (train,), (test,) = (cut(part, seed, (1000,)) for part in (parts.train, parts.test))
    return Split(train, None, test)


def in_text_order(parts: Parts[AnySamples], _seed: int) -> Split[AnySamples]:
    """`split_in_order` of windows over texts with a gap of one window: no part sees a character of another.

    Official parts are pooled. Raises `ValueError` for anything but token sequences, and as `split_in_order`.
    """
    everything = parts.everything()
    if not isinstance(everything, TokenDataset):
        raise ValueError(f"in_text_order: {everything.name!r} holds no token sequences; expected another split")
    return split_in_order(everything, gap=everything.length)


def overlapping(dataset: Samples, recipe: str) -> bool:
    """Whether a cut by `recipe` puts windows of one text, which share characters, into training and test."""
    kind = None if dataset.groups is None else dataset.groups.kind
    return isinstance(dataset, TokenDataset) and kind == "speaker" and recipe not in {"text-order", "official", "whole"}


def efl_split(parts: Parts[AnySamples], seed: int) -> Split[AnySamples]:
    """80 % training, 10 % validation, 10 % test of all samples, official parts pooled.

    Source: efl, A.4. That the official parts are pooled is our reading: EMNIST's 131,600 samples (Table 5) are both
    parts of EMNIST Balanced together. Whether the cut is per client or global is open; ours is global.
    """
    return split(parts.everything(), seed, (0.8, 0.1, 0.1))


def domain_split(parts: Parts[AnySamples], seed: int) -> Split[AnySamples]:
    """One domain: ⌈n/5⌉ of all n samples for test, ⌊7/10⌋ of the others for training, the rest for validation.

    Source: exp_alpha, Tables 5 and 6. The paper prints counts only; this rule gives all 30 of them from the number
    of images in each domain. It does not say how samples are chosen, nor whether by class: ours are a seeded draw.
    Differs: official parts, where there are any (DomainNet's lists), are pooled, as the counts demand.
    """
    everything = parts.everything()
    n = len(everything)
    n_test = -(-n // 5)
    n_train = 7 * (n - n_test) // 10
    return Split(*cut(everything, seed, (n_train, n - n_test - n_train, n_test)))


def digits_split(parts: Parts[AnySamples], seed: int, n_kept: int = 1487) -> Split[AnySamples]:
    """One digit domain: ⌈n/5⌉ for test, `n_kept` of the others, ⌊3/5⌋ for training and the rest for validation.

    Source: exp_alpha, Table 7. With n_kept = 1,487 = ⌊⅕ · (9,298 − 1,860)⌋, a fifth of what USPS leaves, the rule
    gives all 15 printed counts: 892 / 595 in every domain. The other samples are not used, as the counts demand.
    """
    everything = parts.everything()
    n_test = ceil(len(everything) / 5)
    n_train = 3 * n_kept // 5
    return Split(*cut(everything, seed, (n_train, n_kept - n_train, n_test)))


class Recipe(Protocol):
    """A way to cut what a reader returns: seeded, and the same for every kind of data set."""

    def __call__(self, parts: Parts[AnySamples], seed: int, /) -> Split[AnySamples]: ...


def per_group(recipe: Recipe, parts: Parts[AnySamples], seed: int) -> dict[str, Split[AnySamples]]:
    """`recipe` applied to the samples of each group (domain, speaker, user) by itself, by name of the group.

    Raises `ValueError` when samples have no group.
    """
    everything = parts.everything()
    groups = everything.groups
    if groups is None:
        raise ValueError(f"per_group: the samples of {everything.name!r} have no group; expected a domain or the like")
    members = {name: torch.nonzero(groups.index == g)[:, 0] for g, name in enumerate(groups.names)}
    return {name: recipe(Parts(subset(everything, indices)), seed) for name, indices in members.items() if len(indices)}


def _check_fractions(call: str, fractions: tuple[float, float, float]) -> None:
    if len(fractions) != 3 or not all(f > 0 for f in fractions) or abs(sum(fractions) - 1) > 1e-9:
        raise ValueError(f"{call}(fractions={fractions}): expected three numbers > 0 that sum to 1")


def _by_fractions(parts: Parts[AnySamples], seed: int) -> Split[AnySamples]:
    """Everything pooled, 70 / 15 / 15."""
    return split(parts.everything(), seed)


SPLITS: Mapping[str, Recipe] = MappingProxyType(
    {
        "fractions": _by_fractions,
        "official": hold_out,
        "whole": keep_whole,
        "small": small,
        "text-order": in_text_order,
        "exp-alpha-domain": domain_split,
        "exp-alpha-digits": digits_split,
        "efl": efl_split,
    }
)


def make_split(parts: Parts[AnySamples], recipe: str, seed: int) -> Split[AnySamples]:
    """`parts` cut by the recipe of that name in `SPLITS`; `ValueError` naming the nearest ones for an unknown name.

    "official" is also Exp-α's recipe for CIFAR-10 (35,000 / 15,000 / 10,000).
    """
    return pick(SPLITS, recipe, "split")(parts, seed)
