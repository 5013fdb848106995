"""The units of a recipe: ordered, run, shared among workers, stopped."""
