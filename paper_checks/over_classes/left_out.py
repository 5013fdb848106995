"""Inequalities of theorem or lemma level that are not decided over a class, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LEFT_OUT"]

_HORIZON = "for every horizon T at once, with step sizes and extremes over all steps; its one-step result is decided"
_HIDDEN = "O(·) hides constants that the print does not fix, so there is no number to decide at"

LEFT_OUT: Mapping[str, str] = {
    "EA-C1.1": "about weights that are functions of the losses, not about a quadratic form of a method",
    "EA-L4": "an equality of expectations over the drawn clients, decided by enumeration",
    "EA-T2": _HORIZON + " as EA-L1, its sampling term as EA-L5",
    "EFL-L1": "that two models of one run are the same, whatever the functions are; their distance is compared with 0",
    "EFL-L3": "its right side mixes random activity s with the weights made of it; the drift itself is decided as EA-L3",
    "EFL-T1": _HORIZON + " as EFL-E46",
    "FA-E16": "partial participation and a moving average over all rounds in one mean",
    "FA-LA2": "about positive numbers, no function",
    "FA-T4.1": _HIDDEN,
    "FA-T4.2": _HIDDEN,
    "RA-C1": _HORIZON + " as RA-T1",
    "RA-E12": _HORIZON + " as RA-E11",
    "RA-E13": _HORIZON + " as RA-T1; π and Π are extremes of weights",
    "RA-E15": _HORIZON + " as RA-T1; π and Π are extremes of weights",
    "RA-E17": _HORIZON + " as RA-T1; π and Π are extremes of weights",
    "SSA-L1": "an equality of expectations over whole trees of outcomes, decided by enumeration",
    "SSA-TA5": "a mean over all rounds whose constants C and A·W_D couple steps, weights and rounds",
}
