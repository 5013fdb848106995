"""What can be said, as data: sides, instances, hypotheses, readings, and claims made of them."""
