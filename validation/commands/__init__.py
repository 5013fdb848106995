"""Commands of `fedverdict` too long to stand in `validation.cli`; nothing here can change a verdict."""
