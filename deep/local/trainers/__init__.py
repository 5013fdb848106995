"""The ways to train the clients of a round: in turn, together, written out; same result."""
