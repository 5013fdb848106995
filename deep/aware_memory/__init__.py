"""FedAWARE's memory of clients' updates: kept by rows, in a file, solved from the round before."""
