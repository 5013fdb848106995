"""The relations that papers claim in prose, the verdict of each, and the tables they rest on."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

from validation.statement.claim import Claim, Kind

KEYS = ("efl", "exp_alpha", "fedaware", "fedssa", "robust_aggregation")
# Relations that stand in modules of their own beside these.
ELSEWHERE = {"EA-P6", "EFL-P6", "FA-P23", "SSA-P11", "RA-X4c"}
# Checks of whole tables that are no sentence of a paper.
TABLE_CHECKS = {"EA-TC1", "RA-TC1", "SSA-TC1", "SSA-TC2"}
EXPECTED = {
    "EA-P1": "holds",
    "EA-P2": "underspecified",
    "EA-P3": "holds",
    "EA-P4": "holds",
    "EA-P5": "underspecified",
    "EA-P7": "underspecified",
    "EA-P8": "misprint",
    "EA-P9": "underspecified",
    "EA-P10": "underspecified",
    "EA-P11": "holds",
    "EA-P12": "underspecified",
    "EA-P13": "holds",
    "EA-P14": "holds",
    "EA-P15": "holds",
    "EA-P16": "holds",
    "EA-P17": "holds",
    "EA-P18": "holds",
    "EA-P19": "holds",
    "EA-P20": "holds",
    "EA-P21": "holds",
    "EA-P22": "holds",
    "EA-P23": "holds",
    "EA-P24": "refuted",
    "EA-P25": "refuted",
    "EA-P26": "holds",
    "EA-P27": "holds",
    "EA-TC1": "holds",
    "EFL-P1": "underspecified",
    "EFL-P2": "holds",
    "EFL-P3": "underspecified",
    "EFL-P4": "underspecified",
    "EFL-P5": "holds",
    "EFL-P7": "needs-run",
    "EFL-P8": "holds",
    "EFL-P9": "underspecified",
    "EFL-P10": "holds",
    "EFL-P11": "holds",
    "EFL-P12": "needs-run",
    "EFL-P13": "holds",
    "EFL-P14": "underspecified",
    "EFL-P15": "holds",
    "EFL-P16": "needs-run",
    "EFL-P17": "holds",
    "EFL-P18": "refuted",
    "EFL-P19": "underspecified",
    "EFL-P20": "holds",
    "EFL-P21": "holds",
    "EFL-P23": "refuted",
    "EFL-P24": "underspecified",
    "FA-P1": "holds",
    "FA-P2": "holds",
    "FA-P3": "holds",
    "FA-P4": "holds",
    "FA-P5": "underspecified",
    "FA-P6": "underspecified",
    "FA-P7": "underspecified",
    "FA-P8": "holds",
    "FA-P9": "holds",
    "FA-P10": "needs-run",
    "FA-P11": "needs-run",
    "FA-P12": "needs-run",
    "FA-P13": "needs-run",
    "FA-P14": "needs-run",
    "FA-P15": "needs-run",
    "FA-P16": "needs-run",
    "FA-P17": "needs-run",
    "FA-P18": "needs-run",
    "FA-P19": "needs-run",
    "FA-P20": "needs-run",
    "FA-P21": "refuted",
    "FA-P22": "needs-run",
    "FA-P24": "holds",
    "FA-P25": "holds",
    "FA-P26": "holds",
    "FA-P27": "needs-run",
    "RA-TC1": "holds",
    "RA-X1a": "holds",
    "RA-X1b": "holds",
    "RA-X1c": "holds",
    "RA-X1d": "needs-run",
    "RA-X2a": "underspecified",
    "RA-X2b": "holds",
    "RA-X2c": "holds",
    "RA-X3": "needs-run",
    "RA-X4a": "holds",
    "RA-X4b": "holds",
    "RA-X4d": "holds",
    "RA-X4e": "needs-run",
    "RA-X5": "needs-run",
    "RA-X7a": "holds",
    "RA-X7b": "needs-run",
    "RA-X8a": "needs-run",
    "RA-X8b": "needs-run",
    "RA-X9": "underspecified",
    "RA-X10": "holds",
    "SSA-P01": "holds",
    "SSA-P02": "holds",
    "SSA-P03": "holds",
    "SSA-P04": "refuted",
    "SSA-P05": "underspecified",
    "SSA-P06": "holds",
    "SSA-P07": "holds",
    "SSA-P08": "holds",
    "SSA-P09": "holds",
    "SSA-P10": "holds",
    "SSA-P12": "underspecified",
    "SSA-P13": "holds",
    "SSA-P14": "holds",
    "SSA-P15": "holds",
    "SSA-P16": "holds",
    "SSA-P17": "holds",
    "SSA-P18": "underspecified",
    "SSA-P19": "holds",
    "SSA-P20": "underspecified",
    "SSA-P21": "holds",
    "SSA-P22": "holds",
    "SSA-P23": "misprint",
    "SSA-P24": "needs-run",
    "SSA-P25": "holds",
    "SSA-P26": "holds",
    "SSA-P27": "underspecified",
    "SSA-P28": "needs-run",
    "SSA-P29": "underspecified",
    "SSA-P30": "underspecified",
    "SSA-P31": "underspecified",
    "SSA-P32": "holds",
    "SSA-P33": "needs-run",
    "SSA-P34": "holds",
    "SSA-P35": "needs-run",
    "SSA-P36": "needs-run",
    "SSA-P37": "needs-run",
    "SSA-P38": "needs-run",
    "SSA-TC1": "holds",
    "SSA-TC2": "underspecified",
}


def tables_of(key: str) -> ModuleType:
    return importlib.import_module(f"paper_checks.{key}.relations_tables")


def relations_of(key: str) -> tuple[Claim, ...]:
    """The sentences of a paper about numbers, and the checks of whole tables; not those about its listings."""
    every = (c for c in importlib.import_module(f"paper_checks.{key}").PAPER.claims if c.kind is Kind.RELATION)
    return tuple(c for c in every if re.search(r"-(P|X|TC)\d", c.id) and c.id not in ELSEWHERE)


CLAIMS = {claim.id: claim for key in KEYS for claim in relations_of(key)}
PAPER_OF = {claim.id: key for key in KEYS for claim in relations_of(key)}


def listed(key: str) -> list[str]:
    """The ids of claims_in_prose.csv."""
    rows = tables_of(key).table("claims_in_prose").rows
    return [row.get("id") or row["claim_id"] for row in rows]
