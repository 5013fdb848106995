"""Deep and convex runs of FedSSA on the digits: demonstrations of its protocols, no reproduction of a table.

    python -m paper_checks.fedssa.runs NAME … [--out FOLDER]

Nothing here is imported by a check of claims, which never loads torch.
"""
