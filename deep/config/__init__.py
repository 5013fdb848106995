"""The configuration of a run: fields, TOML text, rules in words, families."""
