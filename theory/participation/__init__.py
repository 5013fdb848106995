"""Who takes part in a round, with how many local steps, on which batches, at which step sizes."""
