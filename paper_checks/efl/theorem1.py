"""EFL-T1, the convergence bound of EFL, with its constants as the induction of the proof defines them (EFL-T1-R)."""

from __future__ import annotations

from typing import Any

from paper_checks.efl.biased_participation import one_sided_runs, seeing_runs
from paper_checks.efl.full_participation import anchored_runs, compressed_runs
from paper_checks.efl.independent_rounds import independent_rounds
from paper_checks.efl.notation import NOTATION
from paper_checks.efl.open_points import SERVER
from validation.statement.claim import Claim
from validation.statement.forms.kinds import Case, Family
from validation.statement.instances.draw import Choice, Integer, LogScale, Uniform
from validation.world import Le, World, le, mutant, nowhere, numbers, reading, step, theorem, twice

__all__ = ["CLAIMS"]

gamma, time, E, mu, L, theta, G2, Delta, Delta0 = NOTATION.symbols("gamma time E mu L theta G2 Delta Delta0")
noise, skew, pull, H, J, C, added = NOTATION.symbols("noise skew pull H J C added")
position, now, H_now, J_all, r, part = NOTATION.symbols("position now H_now J_all r part")


def _runs(bracket: str, *cases: Case | Family) -> World:
    """These runs with C of the induction after all rounds, the bracket of (59) or (49) read in one way.

    Observed are sums over the rounds, each divided by m² = E[Σ p s]²: `noise` of Σ p²sσ², `skew` of Σ p s D, `pull` of
    Σ p²s/pᵏ, and the bracket.
    """
    drift = (2 + mu / (2 * (1 + theta) * L)) * E * (E - 1) * G2 * NOTATION.symbols(bracket)
    growth = noise + 2 * (2 + theta) * L * skew + drift + 2 * E * G2 * pull
    return World(NOTATION, cases).defining({C: gamma**2 * Delta0 + (16 * E) ** 2 * growth / mu**2})


def _independent(bracket: str, most: int = 300, longest: int = 1000) -> World:
    alike, one_leaves = (independent_rounds(leaving=leaves, most=most, longest=longest) for leaves in (False, True))
    return _runs(bracket, alike, one_leaves)


def _within(bound: Any) -> Le:
    # G² bounds the gradients at the points visited only, and a round of many steps may leave them.
    return le(Delta, bound, trivial="no constant of (7) bounds the distance to ω* after a round by itself")


_END = time + gamma
_SEVEN = _within(C / _END**2 + H * J / _END)
_SHORT = _runs("plus_59", independent_rounds(most=4, longest=50))
_STARTLESS = le(Delta, (C - gamma**2 * Delta0) / _END**2 + H * J / _END)
_CUBED = le(Delta, C / _END**3 + H * J / _END)
_ALONE = le(Delta, C / _END**2)

_CLOSING = numbers(
    NOTATION,
    "one step of the induction",
    Integer("E", 1, 300),
    LogScale("position", 1.0, 1e6, at=(1.0, 2.0)),
    LogScale("C", 1e-3, 1e6, at=(1.0,)),
    LogScale("added", 1e-3, 1e6, at=(1.0,)),
    LogScale("J_all", 1e-3, 1e3, at=(1.0,)),
    Integer("H_now", 0, 10_000),
    Choice("r", (0.0, 1.0)),
    Uniform("part", 0.0, 1.0),
    where=(le(1, E), le(1, position), le(0, part), le(part, 1)),
).defining({now: E * position})


def _closes(C: Any) -> Le:
    """(64) with the step sizes of the theorem and the bound (7) inserted for Δ."""
    due = (now - E) / (now + E) * (C / now**2 + H_now * J_all / now)
    left = due + added / (now + E) ** 2 + r * part * J_all / (now + E)
    return le(left, (C + added) / (now + E) ** 2 + (H_now + r) * J_all / (now + E))


_C0_DROPPED = mutant(
    "C₀ dropped",
    _STARTLESS,
    "one client of curvature 1 keeps three quarters of its distance in one round, and G² alone pays for less",
    world=_SHORT,
)

T1_R = step(
    "EFL-T1-R",
    "Reconstructed from the induction (65), appendix A.2.1; not printed in the statement",
    "Constants of Theorem 1",
    printed=r"""H_{\tau+1}=H_\tau+r_\tau,\quad J=\max_\tau\tfrac{32E\sum_k\mathbb E[p_\tau^ks_\tau^k]D_k}{\mu m_\tau},
        \quad C_0=\gamma^2\Delta_0,\quad C_{\tau+1}=C_\tau+\tfrac{(16E)^2\mathbb E[\overline B_\tau+2\overline
        H_\tau]}{(\mu m_\tau)^2},\quad m_\tau=\mathbb E\sum_kp_\tau^ks_\tau^k""",
    plainly="""With these constants the induction of the proof closes, and the bound holds for participation drawn
        independently.""",
    assumes=[
        "A1–A5; Cτ, Hτ >= 0; τE + γ >= E",
        "γ >= max{32E(1+θ)L/(μm), 4E²θ/m, E}",
        "one F in all rounds (λ = 0 or anchors that stay), no compression",
        """(p, s) of a round independent of the past and of the batches; E‖ω − ω*‖² by exact second moments on
            quadratics""",
    ],
    says=_SEVEN,
    world=_independent("plus_59"),
    open={
        "C": nowhere("""the paper defines neither C nor H nor J; the bracket that enters C is printed in two ways, (49)
            and (59)""")
    },
    readings=[
        reading(
            "the induction step closes",
            "From (64) with the step sizes inserted to Cτ₊₁ and Hτ₊₁, for all Cτ, Hτ >= 0 and τE + γ >= E.",
            _closes(C),
            world=_CLOSING,
            part="the induction step closes",
        ),
        reading(
            "the bound, bracket of (59) with a positive part",
            "B̄ with Σps + θ(Σp − 2)₊Σps; federations with independent participation, also with one client leaving.",
            part="the bound",
            options={"C": "bracket of (59), with a positive part"},
        ),
        reading(
            "the bound, bracket of (49) with a positive part",
            "B̄ with the smaller Σps + (Σp − 2)₊Σp²s/pᵏ.",
            world=_independent("plus_49"),
            part="the bound",
            options={"C": "bracket of (49), with a positive part"},
        ),
    ],
    mutants=[
        mutant(
            "Cτ may be negative",
            _closes(-C),
            "x² − E² < x² turns its inequality round when it multiplies a negative number",
            world=_CLOSING,
        ),
        _C0_DROPPED,
        mutant("(τE + γ)³ in place of the square", _CUBED, "C₀/γ³ = Δ₀/γ is below the initial distance", world=_SHORT),
    ],
    tight="not tight: the ratio is near 1 only while the model has hardly moved",
    rests_on=["EFL-E58", "EFL-E59", "EFL-E63", "EFL-E64", "EFL-E65"],
    ours="the statement defines neither C nor H nor J; these are read off the induction of its proof by us",
    verdict="""Read with the positive part of Σp − 2 in the bracket of Lemma 3, the reconstructed constants do what the
        proof needs: the induction step closes for every Cτ, Hτ >= 0, and on quadratic clients with random participation
        that is drawn afresh in each round, also with a client that leaves for good, no violation was found. The paper
        does not print this reconstruction, but it can be proved for all clients with A1–A5. Expand ‖w₀ − ηΣpαg − ω*‖²
        at the round's start w₀. Smoothness and strong convexity give ⟨∇F̃ₖ(wⱼ), w₀ − ω*⟩ >= F̃ₖ(w₀) − F̃ₖ(ω*) −
        (L/2)‖w₀ − wⱼ‖² + (μ/2)‖wⱼ − ω*‖², and ‖wⱼ − ω*‖² >= ½‖w₀ − ω*‖² − ‖w₀ − wⱼ‖²; ΣΣpα‖w₀ − wⱼ‖² is on average at
        most η²E(E − 1)G²Σps, and η(L + μ) <= 1. As w₀ does not know the round's participation, 𝔼Σps(F̃ₖ(ω*) − F̃ₖ(w₀))
        <= rΣ𝔼[ps]Dₖ. Together 𝔼Δ′ <= (1 − μηm/2)Δ + η²EG²·𝔼[Σp²s/pᵏ + (E − 1)Σps] + 2ηrΣ𝔼[ps]Dₖ, which is stronger than
        (64) and needs of the step only η <= 1/(2L); (65) then closes.""",
)


def _anchored(longest: int, *, ends: bool, risks: bool) -> World:
    sizes = ((1, longest), (2, 40), (5, 10))
    return _runs("plus_59", *(anchored_runs(*size, ends=ends, risks=risks) for size in sizes))


def _compressed(usual: int, *, told: bool, sends: bool) -> World:
    return _runs("plus_59", compressed_runs(told=told, sends=sends, usual=usual))


_SMALL = (8, 20)

T1 = theorem(
    "EFL-T1",
    "Theorem 1, eq. (7), Sec. 3.2; proof A.2.1",
    "Convergence bound of EFL",
    printed=r"""\eta_\tau=\tfrac{16E}{\mu((\tau+1)E+\gamma)\mathbb E[\sum_kp_\tau^ks_\tau^k]}:
        \qquad\mathbb{E}\|\omega_{\tau E}^G-\omega^*\|^2\le\frac{C_\tau}{(\tau E+\gamma)^2}+\frac{H_\tau J}{\tau E+
        \gamma}""",
    plainly="With decaying steps the expected squared distance to ω* is at most C/(τE+γ)² + HJ/(τE+γ).",
    assumes=[
        "Assumptions 1 to 5, as printed",
        "C, H, J and γ as reconstructed from the proof (EFL-T1-R), since the statement does not define them",
        """s is «a random variable that can follow an arbitrary distribution»; «we do not assume any distributions and correlations» of the
            activity""",
        """where a reading does not say otherwise: no elastic term (λ = 0), so that there is one F (EFL-E1), and no
            compression""",
    ],
    says=_SEVEN,
    world=_independent("plus_59"),
    open={
        "C": nowhere("""the statement defines neither C, H, J nor γ; the proof gives C by an induction in which the
            bracket of (49) and (59) is printed two ways, and as a sum where (24) has a product"""),
        "anchors": nowhere("""«the model parameters of the i-th client in the (τ−1)-th round» in (2): at the start of
            that round or at its end"""),
        "optimum": twice("""ω* minimises F, made of F̃ₖ without a round in (1) and of F̃_{τ,k} with one in (2): the
            round's F, or one objective of the risks for all rounds"""),
        "client": twice("Algorithm 1: the client adds ST(Δωᴳ); Sec. 3.1: it adds Δωᴳ"),
        "server": SERVER,
    },
    readings=[
        reading(
            "bracket of (59) as printed",
            "Σps + θ(Σp − 2) + Σps in C; participation independent of past and batches.",
            world=_independent("printed_59", *_SMALL),
            part="one objective, no compression",
            options={"C": "bracket of (59) as printed"},
        ),
        reading(
            "bracket of (49) as printed",
            "Σps + (Σp − 2) + Σp²s/pᵏ in C, (49) summed over the round; participation independent of past and batches.",
            world=_independent("printed_49", *_SMALL),
            part="one objective, no compression",
            options={"C": "bracket of (49) as printed"},
        ),
        reading(
            "bracket read as a product",
            "Σps + θ(Σp − 2)Σps, the printed «+» dropped; participation independent of past and batches.",
            world=_independent("product_59", *_SMALL),
            part="one objective, no compression",
            edits=["the printed «+» of the bracket dropped"],
            because="a product with a negative factor: nobody would defend it",
        ),
        reading(
            "positive part, participation depends on the past",
            """Σps + θ(Σp − 2)₊Σps, the printed «+» read as a subscript. One client, drawn once, takes part in every
                round, with the paper's coefficient Epᵏ/s; the expectation E[p s]/pᵏ is the same for both, so r = 0 and
                H = 0. Taken given the past it is not: every round is uneven, r = 1, and this
                instance is within the bound.""",
            world=_runs("plus_59", one_sided_runs(64, 1), one_sided_runs(8000, 2)),
            part="one objective, no compression",
            options={"C": "bracket with a positive part"},
            cuts={"participation": "correlated over rounds: one client, drawn once"},
            because="""«arbitrary distribution» (3.1), «we do not assume any distributions and correlations» (A.2.1):
                this is within the print in so many words""",
            shown=True,
        ),
        reading(
            "positive part, activity depends on the batches",
            "As before; a client finishes its step iff its batch gradient errs to one side; r = 0 by symmetry.",
            world=_runs("plus_59", seeing_runs(6000)),
            part="one objective, no compression",
            options={"C": "bracket with a positive part"},
            cuts={"activity": "sees the batches"},
            sees="after the step",
            because="no algorithm of the paper lets activity depend on a batch: reported beside",
        ),
        reading(
            "elastic term, anchors at the end, ω* of the round's F",
            """λ > 0. All take part with p = pᵏ and one full-gradient step a round, so r = 0 and σ = 0; positive part.
                The anchors of (2) are the clients' models at the end of the last round; ω* and Dₖ of the round's F.""",
            world=_anchored(500, ends=True, risks=False),
            part="with the elastic term",
            options={"anchors": "end of the last round", "optimum": "of the round's F"},
            cuts={"lambda": "λ > 0"},
        ),
        reading(
            "elastic term, anchors at the end, ω* of the risks Σpᵏfₖ",
            """λ > 0. All take part with p = pᵏ and one full-gradient step a round, so r = 0 and σ = 0; positive part.
                The anchors of (2) are the clients' models at the end of the last round; ω* and Dₖ of the risks
                Σpᵏfₖ.""",
            world=_anchored(100, ends=True, risks=True),
            part="with the elastic term",
            options={"anchors": "end of the last round", "optimum": "of the risks"},
            cuts={"lambda": "λ > 0"},
        ),
        reading(
            "elastic term, anchors at the start, ω* of the round's F",
            """λ > 0. All take part with p = pᵏ and one full-gradient step a round, so r = 0 and σ = 0; positive part.
                The anchors of (2) are the clients' models at the start of the last round; ω* and Dₖ of the round's
                F.""",
            world=_anchored(500, ends=False, risks=False),
            part="with the elastic term",
            options={"anchors": "start of the last round", "optimum": "of the round's F"},
            cuts={"lambda": "λ > 0"},
        ),
        reading(
            "elastic term, anchors at the start, ω* of the risks Σpᵏfₖ",
            """λ > 0. All take part with p = pᵏ and one full-gradient step a round, so r = 0 and σ = 0; positive part.
                The anchors of (2) are the clients' models at the start of the last round; ω* and Dₖ of the risks
                Σpᵏfₖ.""",
            world=_anchored(100, ends=False, risks=True),
            part="with the elastic term",
            options={"anchors": "start of the last round", "optimum": "of the risks"},
            cuts={"lambda": "λ > 0"},
        ),
        reading(
            "compressed, clients add ST(Δωᴳ), the server averages ST(Δωᵏ)",
            """ST with k = 1 both ways, as Algorithm 1 sends and returns it. All take part with p = pᵏ and one
                full-gradient step a round, so r = 0 and σ = 0; positive part.""",
            world=_compressed(100, told=True, sends=True),
            part="with compression",
            options={"client": "adds ST(Δωᴳ)", "server": "averages ST(Δωᵏ)"},
            cuts={"compression": "ST both ways"},
        ),
        reading(
            "compressed, clients add ST(Δωᴳ), the server averages Δωᵏ",
            """ST with k = 1 both ways, as Algorithm 1 prints its lines. All take part with p = pᵏ and one full-gradient
                step a round, so r = 0 and σ = 0; positive part.""",
            world=_compressed(5, told=True, sends=False),
            part="with compression",
            options={"client": "adds ST(Δωᴳ)", "server": "averages Δωᵏ"},
            cuts={"compression": "ST both ways"},
        ),
        reading(
            "compressed, clients add Δωᴳ, the server averages Δωᵏ",
            """ST with k = 1 both ways, as Sec. 3.1 prints it. All take part with p = pᵏ and one full-gradient step a
                round, so r = 0 and σ = 0; positive part.""",
            world=_compressed(5, told=False, sends=False),
            part="with compression",
            options={"client": "adds Δωᴳ", "server": "averages Δωᵏ"},
            cuts={"compression": "ST both ways"},
        ),
        reading(
            "compressed, clients add Δωᴳ, the server averages ST(Δωᵏ)",
            """ST with k = 1 both ways, Sec. 3.1 with the server averaging what it receives. All take part with p = pᵏ
                and one full-gradient step a round, so r = 0 and σ = 0; positive part.""",
            world=_compressed(2, told=False, sends=True),
            part="with compression",
            options={"client": "adds Δωᴳ", "server": "averages ST(Δωᵏ)"},
            cuts={"compression": "ST both ways"},
        ),
        reading(
            "positive part, one F, no compression, participation independent of past and batches",
            """λ = 0 or anchors that stay (then F̃ₖ is one more quadratic of the kind drawn); (p, s) of each round drawn
                independently of everything before and of the batches; any law inside, any correlation between clients,
                a law that changes when a client leaves.""",
            part="one objective, no compression",
            options={"C": "bracket with a positive part"},
            because="what the readings above add is left out here: correlation, the elastic term, compression",
        ),
    ],
    mutants=[
        _C0_DROPPED,
        mutant(
            "HJ/(τE + γ) dropped for a client that is alone in every round",
            _ALONE,
            "the model tends to that client's optimum, while C/(τE + γ)² tends to 0",
            world=_runs("plus_59", one_sided_runs(8000, 1, certain=True)),
        ),
        mutant("(τE + γ)³ in place of the square", _CUBED, "C₀/γ³ = Δ₀/γ is below the initial distance", world=_SHORT),
    ],
    tight="not tight: the ratio is near 1 only while the model has hardly moved",
    rests_on=["EFL-T1-R", "EFL-E1", "EFL-ALG1", "EFL-L1", "EFL-L2", "EFL-L3", "EFL-A6", "EFL-E65"],
    verdict="""It fails if participation may be correlated over rounds, which A.2.1 allows: one client drawn once
        for all rounds takes the model from ω* to an error of 0.23 in 64 rounds, where the bound is 0.15. No violation was
        found with participation independent of past and batches, one F, no compression, and (Σp − 2)₊ in
        Lemma 3 (proof by hand: EFL-T1-R). No program has checked that proof. More than one condition is missing, and no setting of the paper meets all of them; so the word is refuted. As stated
        the theorem is false whatever its constants are as long as C = O(τ). With chances that make 𝔼[p s]/pᵏ the same
        for all clients H = 0 and the bound tends to 0, while the model tends to the drawn client's optimum and not to
        ω*. Independence of the past enters at (64): the mean over participation of the line before, where Σp s
        multiplies the squared distance at the start of the round, is printed as a product of two means (EFL-E64).
        Independence of the batches enters where E_ξ takes p and s as given, in (16) and (20) (EFL-L2, EFL-L3).
        The paper allows «an arbitrary distribution» of s; 𝔼[p s] is taken as printed, not given the past. For the
        rest C, H, J and γ, which
        the statement does not define, are those of the proof, with the bracket of Lemma 3 corrected (EFL-L3). Then two
        parts of EFL break the bound as well: anchors that move in every round (EFL-E1), and compression, in each way
        the updates are printed (EFL-ALG1). G and σ are there those of the batches' gradients, as A3 and A4 print g; for
        gradients into which the residual «can be absorbed» (A.2.1) the proof lacks 𝔼g = ḡ instead (EFL-E14). Where the
        server averages ST(Δωᵏ) the bound fails for both. With k = 1 a single client moves one coordinate a round: of
        ten million that start near 1, curvature 1 and γ = 10⁴, more than 0.99 of Δ₀ are left after more than a thousand rounds, and the
        right side is below 0.8Δ₀ whichever gradients G and σ are of. With one F, no compression, and participation
        independent of past and batches no violation was found.""",
)

CLAIMS: tuple[Claim, ...] = (T1, T1_R)
