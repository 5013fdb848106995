"""One federated round: broadcast, local training, what the rule sees, aggregation, its record."""
