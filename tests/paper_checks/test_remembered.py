"""FedAWARE's second round by hand: a rare sample shortens one average, and the weights go to its large error."""

from __future__ import annotations

from fractions import Fraction

from paper_checks.fedaware.remembered import second_exact


def test_the_second_round_by_hand_exceeds_the_means_taken_apart() -> None:
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    share = [tenth, 1 - tenth]
    x = {
        "curvature": [Fraction(1)] * 2,
        "optimum": [Fraction(4), Fraction(1)],
        "share": share,
        "start": Fraction(0),
        "first": Fraction(1, 8),
        "server": tenth,
        "alpha": half,
        "sigma": [Fraction(3, 2), Fraction(0)],
        "rare": Fraction(5),
    }
    met, found = second_exact(x, one_sign=True)
    assert all(met.values())
    # g⁰ = −(1/2, 1/8), so the step is client 2's and x¹ = 1/80; with chance 1/26 client 1's noise is 15/2, else −3/10.
    slopes = Fraction(1, 80) - 4, Fraction(1, 80) - 1
    outcomes = ((Fraction(1, 26), Fraction(15, 2), 0), (Fraction(25, 26), Fraction(-3, 10), 1))
    left = weights = both = Fraction(0)
    errors = [Fraction(0), Fraction(0)]
    for chance, noise, alone in outcomes:  # the client whose average is the shorter one has all the weight
        g = (slopes[0] + noise) / 8, slopes[1] / 8
        off = (g[0] + half) / 2, (g[1] + Fraction(1, 8)) / 2
        inverse = 1 / share[alone]
        left += chance * off[alone] ** 2
        weights += chance * inverse
        both += chance * inverse * (share[0] * off[0] ** 2 + share[1] * off[1] ** 2)
        errors = [e + chance * v**2 for e, v in zip(errors, off, strict=True)]
    mean = share[0] * errors[0] + share[1] * errors[1]
    assert found == {"S": left, "W": weights, "M": mean, "together": both}
    assert weights * mean * 6 < left <= both


def test_without_a_moving_average_there_is_no_error() -> None:
    one = Fraction(1)
    x = {"curvature": [one, one], "optimum": [4 * one, one], "share": [one / 3, 2 * one / 3], "start": 0 * one}
    x |= {"first": one / 8, "server": one, "alpha": one, "sigma": [one, one / 2], "rare": 3 * one}
    assert second_exact(x)[1]["M"] == 0
