"""What a run writes and reads: records, lines of a history, checkpoints, a folder."""
