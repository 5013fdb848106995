"""App. D, (9), (10), and Sec. 4.2 on clients that are alike: baselines that score the clients, and the entropy of weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sympy import Abs, Integer, Max, Min, Rational

from paper_checks.fedssa.exponentials import EXACT, cosine, mass, slack, variance
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.open_points import OUTPUT
from paper_checks.fedssa.pairs import pair_exact
from paper_checks.fedssa.views import letters, of_views, views, views_exact
from validation import Case, Claim, Family, Identity, Inequality, Instance, LogScale, Signed, Size, Space, Uniform
from validation.world import World, case, definition, le, mutant, reading, remark

__all__ = ["CLAIMS"]

least, total, twins_apart, divisors_apart, rounding = NOTATION.symbols(
    "least total twins_apart divisors_apart rounding"
)


def scored(
    x: Instance, *, score: str, logits: bool = False, over: str = "sum", twins: bool = False, room: float = 10.0
) -> Mapping[str, Any]:
    """Weights in proportion to mean cosines, variances or means of predictions, `over` their sum, their number or N_k.

    `logits`: predictions are logits, not softmax outputs. `twins`: client 1 comes twice. `room`: scale of rounding.
    """
    given = [np.concatenate([x[v][:, :, :1], x[v]], axis=2) if twins else x[v] for v in ("view_1", "view_2")]
    if not logits:
        given = [np.exp(v - v.max(axis=-1, keepdims=True)) for v in given]
        given = [v / v.sum(axis=-1, keepdims=True) for v in given]
    one, two = given
    size = np.sqrt((one**2).sum(axis=-1) * (two**2).sum(axis=-1))
    of = {
        "similarity": lambda: (one * two).sum(axis=-1) / np.where(size > 0, size, 1.0),
        "confidence": lambda: one.var(axis=-1),
        "level": lambda: one.mean(axis=-1),
    }
    scores = of[score]().mean(axis=1)
    by_size = scores / x["n_samples"] if over == "N_k" else scores
    whole = by_size.sum(axis=1)
    known = (whole > 1e-6 if twins else np.abs(whole) > 1e-6) & ((size > 0).all(axis=(1, 2)) | (score != "similarity"))
    weights = by_size / (np.full_like(whole, by_size.shape[1]) if over == "K" else np.where(known, whole, 1.0))[:, None]
    other = one.var(axis=-1, ddof=1).mean(axis=1) if score == "confidence" else scores
    apart = weights - other / np.where(known, other.sum(axis=1), 1.0)[:, None]
    found = {"least": weights.min(axis=1), "total": weights.sum(axis=1), "divisors_apart": np.abs(apart).max(axis=1)}
    found |= {"twins_apart": np.abs(weights[:, 0] - weights[:, 1 % weights.shape[1]])}
    found |= {"rounding": np.full(len(whole), 1e-40), "magnitude": np.full(len(whole), room)}
    return {**found, "admissible": known}


def scored_exact(
    x: Mapping[str, Any], *, score: str, logits: bool = False, over: str = "sum", twins: bool = False
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same, cosines of whole numbers in proportion to the predictions."""
    given = [[[s[0], *s] if twins else s for s in x[v]] for v in ("view_1", "view_2")]
    samples, clients, c = range(len(given[0])), range(len(given[0][0])), len(given[0][0][0])
    scores, fits = [], True
    for k in clients:
        total = Fraction(0)
        for m in samples:
            z = given[0][m][k]
            pair = [view[m][k] for view in given]
            if score == "similarity":
                fits = fits and all(any(v) for v in pair)
                whole = [[int(v * 2**200) for v in z] if logits else mass([Fraction(1)], [z]) for z in pair]
                total += cosine(whole[0], whole[1]) if all(any(v) for v in whole) else 0
            elif score == "level" or logits:
                mean = sum(z) / c
                total += mean if score == "level" else sum((v - mean) ** 2 for v in z) / c
            else:
                total += variance(mass([Fraction(1)], [z]))
        scores.append(total / (x["n_samples"][k] if over == "N_k" else len(samples)))
    whole_score = sum(scores, Fraction(0))
    met = {"no prediction is 0": fits or twins}
    met["the scores do not sum to 0"] = whole_score > 0 if twins else abs(whole_score) > Fraction(1, 10**6)
    weights = [s / (len(scores) if over == "K" else whole_score) for s in scores]
    other = [s * c / (c - 1) for s in scores] if score == "confidence" else scores
    rest = sum(other, Fraction(0))
    apart = [abs(a - b / rest) if rest else Fraction(0) for a, b in zip(weights, other, strict=True)]
    found = {"least": min(weights), "total": sum(weights), "divisors_apart": max(apart), "rounding": slack()}
    return met, {**found, "twins_apart": abs(weights[0] - weights[1 % len(weights)])}


def _scores(score: str, *at: tuple[int, int, int], **chosen: Any) -> tuple[Case | Family, ...]:
    """Up to 300 clients, 100 classes and 20 samples, or as many as given; with `twins` one client more."""
    twins = chosen.get("twins", False)

    def one(K: float, c: float, S: float) -> Case:
        n, classes, samples = int(K), int(c), int(S)
        drawn = [Signed(f"view_{i}", 1e-2, 5.0 if twins else 10.0, (samples, n, classes)) for i in (1, 2)]
        sizes = (LogScale("n_samples", 1.0, 1e3, (n + 1,), at=(1.0, 100.0)),) if twins else ()
        name, cost = f"{score}: {n + twins} clients, {classes} classes, {samples} samples", n * classes * samples / 60
        space = Space((*drawn, *sizes))
        exact = partial(scored_exact, score=score, **chosen)
        fast = partial(scored, score=score, room=1e6 if twins else 10.0, **chosen)
        return case(name, space, fast, exact, uses=EXACT, cost=max(1.0, cost))

    sizes = (Size("K", 1, 300, 3), Size("c", 2, 100, 3), Size("S", 1, 20, 1))
    return tuple(one(*size) for size in at) or (Family(score, sizes, one),)


def _world(*cases: Case | Family) -> World:
    return World(NOTATION, cases)


_SMALL = (2, 2, 1)
_ON_SIMPLEX = le(Max(-least, Abs(total - 1)), rounding)
E09 = definition(
    "SSA-E09",
    "Eq. (9), Appendix D",
    "Weights from similarity",
    printed=r"""s_k=\frac1{N_k}\sum_{m=1}^{N_k}\cos(\hat{\mathbf y}_{k,m}^{(1)},\hat{\mathbf y}_{k,m}^{(2)}),\quad w_k=
        \frac{s_k}{\sum_is_i}""",
    plainly="Normalised mean cosines of a client's two predictions are aggregation weights: on the simplex.",
    assumes=["scores that do not sum to 0"],
    says=_ON_SIMPLEX,
    world=_world(*_scores("similarity", logits=True), *_scores("similarity", _SMALL, logits=True)),
    open={"output": OUTPUT},
    readings=[
        reading(
            "predictions are logits",
            "ŷ_k as defined below (4), «the logits output of local model θ_k».",
            options={"output": "logits"},
        ),
        reading(
            "predictions are softmax outputs",
            "Predictions as probabilities.",
            world=_world(*_scores("similarity")),
            options={"output": "softmax"},
        ),
    ],
    mutants=[
        mutant(
            "divided by the number of clients",
            None,
            "the mean of the s_k is below one unless all views agree",
            world=_world(*_scores("similarity", _SMALL, over="K")),
        )
    ],
    rests_on=["SSA-E04", "SSA-O7"],
    verdict="""Softmax outputs have positive cosines, and the weights lie inside the simplex. With logits, which is what
        ŷ_k denotes in (4), cosines may be negative: so may be weights, and their sum may vanish. Appendix D does not
        say which are meant; nor over which samples m runs, as N_k is the size of the client's own data.""",
)

E10 = definition(
    "SSA-E10",
    "Eq. (10), Appendix D",
    "Weights from confidence",
    printed=r"c_k=\frac1{N_k}\sum_{m=1}^{N_k}var(\hat{\mathbf y}_{k,m}),\quad w_k=\frac{c_k}{\sum_ic_i}",
    plainly="Normalised mean variances of a client's predictions are aggregation weights: on the simplex.",
    assumes=["some prediction is not flat"],
    says=_ON_SIMPLEX,
    world=_world(*_scores("confidence", logits=True)),
    open={"output": OUTPUT},
    readings=[
        reading(
            "predictions are logits", "ŷ_k as defined below (4).", part="on the simplex", options={"output": "logits"}
        ),
        reading(
            "predictions are softmax outputs",
            "Predictions as probabilities.",
            world=_world(*_scores("confidence")),
            part="on the simplex",
            options={"output": "softmax"},
        ),
        reading(
            "either divisor of var",
            "c and c − 1 give the same weights.",
            le(divisors_apart, rounding),
            world=_world(*_scores("confidence", logits=True)),
            part="either divisor of var",
        ),
    ],
    mutants=[
        mutant(
            "the mean in place of the variance",
            None,
            "mean logits may be negative",
            world=_world(*_scores("level", _SMALL, logits=True)),
        ),
        mutant(
            "divided by the number of clients",
            None,
            "variances of probabilities are less than 1, so their mean is not one",
            world=_world(*_scores("confidence", _SMALL, over="K")),
        ),
    ],
    rests_on=["SSA-E04", "SSA-O7"],
    verdict="""Variances are non-negative, so the weights lie on the simplex whenever some prediction is not flat; if
        all are, 0/0. The open divisor of var cancels.""",
)

_TWINS = (1, 2, 1), (2, 3, 1), (4, 10, 2), (20, 3, 1)


def _designed(score: str, at: Any = _TWINS, **chosen: Any) -> tuple[Case | Family, ...]:
    return _scores(score, *at, twins=True, **chosen)


O7 = definition(
    "SSA-O7",
    "Appendix D, eqs. (9), (10) (left open: predictions or logits, range of the index m)",
    "Scores of the designed baselines",
    printed=r"""s_k=\frac1{N_k}\sum_{m=1}^{N_k}\cos(\hat{\mathbf y}_{k,m}^{(1)},\hat{\mathbf y}_{k,m}^{(2)}),\quad c_k=
        \frac1{N_k}\sum_{m=1}^{N_k}var(\hat{\mathbf y}_{k,m}),\quad w_k\propto s_k\text{ or }c_k""",
    plainly="The scores give weights on the simplex, the same for two clients whose models give the same outputs.",
    assumes=["the samples x_m are those of the target data", "the scores have a positive sum"],
    says=le(Max(-least, twins_apart, Abs(total - 1)), rounding),
    world=_world(*_designed("similarity"), *_designed("confidence")),
    open={"output": OUTPUT},
    readings=[
        reading(
            "softmax outputs, mean over the target samples",
            "ŷ is the softmax output; N_k in both places is the number of target samples.",
            options={"output": "softmax"},
        ),
        reading(
            "logits, mean over the target samples",
            "ŷ_k as defined under (4), the logits.",
            world=_world(*_designed("similarity", logits=True)),
            options={"output": "logits"},
        ),
        reading(
            "softmax outputs, divided by N_k",
            "N_k as defined in Sec. 3, the size of the client's own data set; the sum is over the target samples.",
            world=_world(*_designed("similarity", over="N_k"), *_designed("confidence", over="N_k")),
            options={"output": "softmax"},
            ours="""a sum over the target samples divided by the client's own N_k: (9) and (10) print one N_k in both
                places, so they are means""",
        ),
    ],
    mutants=[
        mutant(
            "confidence of logits divided by N_k",
            None,
            "two copies with data sets of different sizes get different weights",
            world=_world(*_designed("confidence", _TWINS[:2], logits=True, over="N_k")),
        )
    ],
    rests_on=["SSA-E09", "SSA-E10"],
    ours="""Appendix D gives the scores and says nothing of their sign, sum or symmetry; it leaves open which outputs
        are compared""",
    verdict="""Under (4) ŷ_k with a client index means logits, whose cosine may be negative: a weight then is too, or
        the sum of the scores vanishes. With softmax outputs both baselines are well defined. N_k is the client's data
        size elsewhere; taken so, client models with the same outputs get different weights. The sensible reading is the
        first, softmax outputs and the number of target samples in both places.""",
)


def _loss(at: str, by: Any) -> Any:
    """L_SSA at a place, λ_var = 1."""
    cos, var, we = NOTATION.symbols(f"cos_{at} var_{at} we_{at}")
    return cos + var + by * we


def _copies(by: Any, at: Any = ((2, 3, 1), (3, 3, 2), (5, 10, 1), (20, 3, 1))) -> Inequality | Identity:
    """Sharing the weight of two copies equally does not raise L_SSA with that λ_we."""
    return of_views(le(_loss("even_twins", by) - _loss("twins", by), rounding), at=at)


def _alike(by: Any) -> Inequality | Identity:
    """Of two clients whose logits differ by a factor, equal weights have no more L_SSA than either alone."""
    says = le(_loss("equal", by) - Min(_loss("first", by), _loss("rival", by), evaluate=False), rounding)

    def one(samples: int, classes: int) -> Case:
        both = (Signed(f"view_{i}", 1e-2, 8.0, (samples, 1, classes)) for i in (1, 2))
        name, uses = f"two similar clients, {samples} samples, {classes} classes", (*EXACT, pair_exact)
        how: dict[str, Any] = {"uses": uses, "asked": letters(says), "made": "alike"}
        return case(name, Space((*both, _FACTOR)), views, views_exact, **how)

    return World(NOTATION, tuple(one(*size) for size in ((1, 2), (2, 3), (4, 10)))).test(says)


_FACTOR = Uniform("factor", 0.9, 1.1, at=(0.9, 1.0, 1.1))
_USUAL = Rational(1, 1000)
D11 = remark(
    "SSA-D11",
    "Sec. 4.2, «Promoting multi-client collaboration»",
    "Similar clients, equal weights",
    printed=r"""\text{«if two clients both have similar training distributions with target distribution, a reasonable strategy is to assign them relatively equal aggregation weights»};\ \mathcal L_{we}\text{ promotes it}""",
    plainly="L_we in the loss promotes relatively equal weights for clients that are alike.",
    assumes=["λ_var = 1, λ_we = 10⁻³", "weights on the simplex"],
    says=_copies(_USUAL),
    readings=[
        reading(
            "two copies of one model",
            "Sharing the weight of two copies equally never raises L_SSA, whatever the other clients and weights.",
        ),
        reading(
            "two models alike within 10%",
            """Ours: the second's logits are 0.9 to 1.1 times the first's, and equal weights have no more L_SSA than one
                model alone.""",
            _alike(_USUAL),
            ours="""that L_we outweighs the other two losses at 10⁻³; the print says «relatively equal», «promote», «can
                contribute», of similar training distributions; the 10% of the logits are ours""",
        ),
        reading(
            "alike within 10%, λ_we = 1",
            "The same with a thousand times the weight of L_we.",
            _alike(Integer(1)),
            edits=["λ_we = 1 in place of 10⁻³"],
        ),
    ],
    mutants=[
        mutant(
            "sign of L_we reversed",
            _copies(-_USUAL, ((2, 3, 1),)),
            "the other losses see only the sum of the two weights, and −L_we is largest at equal ones",
        ),
        mutant(
            "alike within 10%, λ_we = 0",
            _alike(Integer(0)),
            "the surer of the two has more variance, and nothing holds against it",
        ),
    ],
    rests_on=["SSA-E07", "SSA-LP3"],
    verdict="""It holds for two copies of one model: sharing their weight equally never raises L_SSA, as L_cos and L_var
        see only the sum of the two weights and L_we is least at equal ones. Without L_we the copies are
        interchangeable, so it is L_we that promotes equal weights, as printed. That it outweighs the other losses for
        models that are merely similar is stronger than the print («can contribute»), and at λ_we = 10⁻³ it does not:
        the whole gain of equal weights is 10⁻³·log 2 = 0.0007, while a model whose logits are 10% larger has more
        variance by several times that, so all weight goes to it. With λ_we = 1 no violation was found.""",
)

CLAIMS: tuple[Claim, ...] = (E09, E10, O7, D11)
