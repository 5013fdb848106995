"""Commands on runs: run, simulate, compare, plot, reproduce."""
