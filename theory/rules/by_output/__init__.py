"""FedSSA's rules, which weight clients by what their models say about unlabelled samples."""
