"""Where a counterexample is looked for."""
