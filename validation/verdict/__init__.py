"""One claim to its verdict: mistakes named first, every reading and mutant tested, failures contained."""
