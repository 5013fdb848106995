"""The command `fedverdict`: check claims, run rules, compare convex and deep, write the report.

A command is imported when it is called; its place and its line of help are listed here.
"""

from __future__ import annotations

import sys

import click

from validation.commands.terminal import Commands

__all__ = ["main"]

# Under each heading of the help: where a command is in validation.commands, and the first sentence of its help.
_COMMANDS = {
    "Check claims": {
        "check": ("claims.check:check", "Check claims, or whole papers, and print a verdict for each."),
        "tighten": (
            "claims.tighten:tighten",
            "Find the smallest constants with which a claim's bound survives a search.",
        ),
        "report": ("claims.report:report", "Write the report: HTML pages that open from disk."),
        "new-paper": ("claims.new_paper:new_paper", "Create a package for the claims of a paper of your own."),
    },
    "Run rules": {
        "run": ("runs.run:COMMAND", "Train one federated model, or resume a run."),
        "simulate": ("runs.simulate:COMMAND", "Run the same configuration in the convex simulator, in float64."),
        "reference": ("runs.reference:COMMAND", "Compute w*, F* and Fₖ* of a task and keep them for its runs."),
        "rules": ("lists.rules:rules", "List the aggregation rules with their formulas and sources."),
        "algorithms": (
            "lists.algorithms:algorithms",
            "List client algorithms and servers, and what cannot be combined.",
        ),
    },
    "Compare results": {
        "runs": ("runs.listed:runs", "List the runs below FOLDER that have ended, sorted by a quantity."),
        "plot": ("runs.plot:plot", "Plot a run over its rounds, with bands over its seeds."),
        "compare": ("runs.compare:compare", "Plot several runs, or compare our numbers with published ones."),
        "side-by-side": (
            "runs.side_by_side:side_by_side",
            "Predict the order of rules from theory and test it on a network.",
        ),
    },
    "Reproduce published results": {
        "reproduce": ("runs.published:reproduce", "Run the experiments behind published tables and figures."),
        "queue": ("runs.published:queue", "Run the most informative missing experiments within a time budget."),
        "tune": ("runs.published:tune", "Settle a recipe's open choices on seeds used for nothing else."),
    },
}


@click.group(
    cls=Commands,
    lazy={
        heading: {name: (f"validation.commands.{place}", words) for name, (place, words) in held.items()}
        for heading, held in _COMMANDS.items()
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="fedverdict")
def main() -> None:
    """Does each statement of a federated-learning paper hold? Verdicts with exact counterexamples."""


if __name__ == "__main__":
    sys.exit(main())
