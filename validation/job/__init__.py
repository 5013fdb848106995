"""Papers checked whole: units of work, processes, ledgers, and whether what is kept is still current."""
