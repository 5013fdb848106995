"""Private rounds: conversion and composition of losses, sampling, clipping by layers, masks, and shares of a secret.

Source: Bun and Steinke 2016 (concentrated losses and their conversion); Dwork, Rothblum and Vadhan 2010 (advanced
composition); Mironov, Talwar and Zhang 2019 (sampled Gaussian mechanism); McMahan, Ramage, Talwar and Zhang 2018 (layers);
Bonawitz et al. 2017 (masks); Shamir 1979 (shares of a secret).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Uniform
from validation.world import at, identity, le, mutant

__all__ = ["CLAIMS"]

zcdp, above, log_delta, epsilon, m, q, signal = LETTERS.symbols("zcdp above log_delta epsilon m q signal")
x_norm, y_norm, clip_1, clip_2 = LETTERS.symbols("x_norm y_norm clip_1 clip_2")
x, y, z, r_1, r_2, r_3, c_1, c_2 = LETTERS.symbols("x y z r_1 r_2 r_3 c_1 c_2")

CONVERTED = zcdp * (1 + above) + log_delta / above
CONVERSION = stated(
    "LIT-165",
    "The best order to convert a concentrated privacy loss",
    r"\rho+2\sqrt{\rho\log\tfrac1\delta}\le\rho\lambda+\frac{\log\frac1\delta}{\lambda-1}",
    "No order λ of the divergence gives a smaller ε than ρ + 2√(ρ·log(1/δ)); rounds of the Gaussian mechanism add their ρ.",
    le(zcdp + 2 * sp.sqrt(zcdp * log_delta), CONVERTED),
    free(
        "a loss, an order and a chance of failure",
        *(LogScale("zcdp", 1e-3, 1e1, at=(1.0,)), LogScale("above", 1e-2, 1e2, at=(1.0,))),
        LogScale("log_delta", 1e-1, 3e1, at=(1.0,)),
        notation=LETTERS,
    ),
    mutant(
        "3 for 2",
        le(zcdp + 3 * sp.sqrt(zcdp * log_delta), CONVERTED),
        at(zcdp=1, above=1, log_delta=1),
    ),
    because="the arithmetic mean of ρ(λ − 1) and log(1/δ)/(λ − 1) is at least their geometric mean",
    tight=at(zcdp=1, above=1, log_delta=1),
)
ADVANCED = epsilon * sp.sqrt(2 * m * log_delta) + m * epsilon * (sp.exp(epsilon) - 1)
MANY = (le(8 * log_delta, m), le(sp.exp(epsilon), sp.Rational(3, 2)))
ROUNDS = (
    Integer("m", 1, 1000),
    LogScale("epsilon", 1e-3, 1e1, at=(1.0,)),
    LogScale("log_delta", 1e-1, 3e1, at=(1.0,)),
)
COMPOSED = stated(
    "LIT-166",
    "Advanced composition is at least as good as the sum, for many rounds of small loss",
    r"\varepsilon\sqrt{2m\log\tfrac1\delta}+m\varepsilon(e^\varepsilon-1)\le m\varepsilon\quad(8\log\tfrac1\delta\le m,\ e^\varepsilon\le\tfrac32)",
    "The loss of m >= 8·log(1/δ) rounds with exp ε <= 3/2 is by advanced composition at most m times that of one.",
    le(ADVANCED, m * epsilon),
    free("rounds, losses and a chance of failure", *ROUNDS, where=MANY, notation=LETTERS),
    mutant("half of the sum", le(ADVANCED, m * epsilon / 2), "m = 8·log(1/δ): the root alone is half"),
    mutant(
        "any number of rounds",
        None,
        at(m=1, epsilon=1, log_delta=1),
        world=free("rounds, losses and a chance of failure", *ROUNDS, notation=LETTERS),
    ),
    because="the root is at most half of the sum, and exp ε − 1 at most a half",
)
SAMPLED = sp.log(1 + q**2 * (sp.exp(signal) - 1))
NOISY = le(signal, 1)
RATE = (Uniform("q", 0.01, 1.0, at=(0.5, 1.0)), LogScale("signal", 1e-2, 1e1, at=(1.0,)))
SAMPLING = stated(
    "LIT-167",
    "Sampling divides the divergence of order 2 by its square",
    r"\log\left(1+q^2(e^s-1)\right)\le2q^2s,\quad s=1/\sigma^2\le1",
    "The divergence of order 2 of a Gaussian mechanism with σ >= 1 on a sample of rate q is at most 2q² times that without sampling.",
    le(SAMPLED, 2 * q**2 * signal),
    free("a rate and a noise", *RATE, where=(NOISY,), notation=LETTERS),
    mutant("q² times", le(SAMPLED, q**2 * signal), "half of the clients"),
    mutant("little noise", None, at(q="1/2", signal=10), world=free("a rate and a noise", *RATE, notation=LETTERS)),
    because="log(1 + z) <= z, and exp s − 1 <= 2s up to s = 1",
)
LAYERS = sp.Min(x_norm, clip_1) ** 2 + sp.Min(y_norm, clip_2) ** 2
WHOLE = sp.Min(x_norm**2 + y_norm**2, clip_1**2 + clip_2**2)
LAYERED = stated(
    "LIT-168",
    "Clipping layer by layer keeps no more than clipping at once",
    r"\sum_l\min(\|x_l\|,\tau_l)^2\le\min\left\{\|x\|^2,\tau_1^2+\tau_2^2\right\}",
    "Two layers, clipped at τ_1 and τ_2, are together no longer than after clipping the whole at √(τ_1² + τ_2²).",
    le(LAYERS, WHOLE),
    free(
        "an update of two layers",
        *(LogScale(name, 1e-2, 1e2, at=(1.0,)) for name in ("x_norm", "y_norm")),
        *(LogScale(name, 1e-1, 1e1, at=(1.0,)) for name in ("clip_1", "clip_2")),
        notation=LETTERS,
    ),
    mutant("as much as at once", le(WHOLE, LAYERS), "one layer is long, the other short"),
    mutant("the longer norm", le(LAYERS, sp.Max(clip_1, clip_2) ** 2), "both layers are clipped"),
    because="each of both sums of minima is at most the minimum of the sums",
    tight=at(x_norm=1, y_norm=1, clip_1=1, clip_2=1),
)
FIRST, SECOND, THIRD = x + r_1 + r_2, y - r_1 + r_3, z - r_2 - r_3
MASKED = stated(
    "LIT-169",
    "Masks of pairs cancel",
    r"(x+r_1+r_2)+(y-r_1+r_3)+(z-r_2-r_3)=x+y+z",
    "Three clients, each pair with a mask that one adds and the other subtracts, send the sum of their updates.",
    identity(FIRST + SECOND + THIRD, x + y + z),
    None,
    mutant("the third client drops out", identity(FIRST + SECOND, x + y), "its masks with the others stay"),
    because="every mask is there once with either sign",
)
SHARES = [x + c_1 * at_ + c_2 * at_**2 for at_ in (1, 2, 3)]
SECRET = stated(
    "LIT-170",
    "Three shares of a quadratic polynomial give the secret",
    r"3P(1)-3P(2)+P(3)=P(0),\quad P(t)=x+c_1t+c_2t^2",
    "Of a secret that is the value at 0 of a quadratic polynomial, three of its values give it back; shares of sums add.",
    identity(3 * SHARES[0] - 3 * SHARES[1] + SHARES[2], x),
    None,
    mutant("two shares", identity(2 * SHARES[0] - SHARES[1], x), "two values determine a line alone"),
    because="Lagrange's interpolation: a third difference of a quadratic polynomial is 0",
)

CLAIMS = (CONVERSION, COMPOSED, SAMPLING, LAYERED, MASKED, SECRET)
