"""Federated algorithms as array functions: local steps, messages, server optimisers, and what clients keep.

A method is a rule, a client algorithm and a server. Both worlds, `theory.simulate` and the deep engine, play a round
in this order:

1. the plan (who is present, for how many steps) and the rate η of the round
2. broadcast: the model x and the vectors the server keeps (control variates, momentum); where the server sends steps in
   place of its model, clients take in the messages they have not heard (`Client.receive`) and start from their bases
3. local steps, of `Client.steps`: affine g = a·∇ℓ + D·(w − x) + c, or any `LocalStep`; ∇ℓ includes the objective's l2;
   then a client's own models beside them, over the same batches (`Client.beside`)
4. messages: updates Δₖ as received, decompressed where compressed (`Client.message`)
5. the rule reads updates as received and losses at the client's own model, and gives weights aₖ; d = Σ aₖvₖ
6. what clients keep, from their own Δₖ, d and means over the cohort (`Client.carry`); rows of absent clients stay as
   they are, those of clients that left (absent, share 0) begin anew; then the means over all clients are taken anew
7. what a client algorithm adds to d (`Client.direction`: FedDyn's −h/α, FedDC's h̄, with the means of this round)
8. the server: d̃ from d and its state; ×AWARE projects that full d̃; then x ← x + η_g·d̃, or plus what it made of this
   to send (`Client.send`)
9. evaluation of the new model, or of the model each client is judged by (`Client.judged`)

Nothing in 6 reads the new model, so that it makes no difference that it stands before 8.

A new algorithm is one file in `clients/` or `servers/` with an `ENTRY`, and its test; so is a new aggregator in
`aggregators/`, which combines updates where no weights do (`theory.algorithms.servers.aggregate`).
"""

from __future__ import annotations

from theory.algorithms.client import VARIATES, Client, Played, Variates, heard
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, LocalStep, Stepwise
from theory.algorithms.method import Method, refusal
from theory.algorithms.registry import client_entries, own_entries, server_entries
from theory.algorithms.server import Received, Server
from theory.algorithms.text import make_client, make_server

__all__ = [
    "VARIATES",
    "Affine",
    "AlgorithmEntry",
    "Client",
    "LocalStep",
    "Method",
    "Played",
    "Received",
    "Server",
    "Stepwise",
    "Variates",
    "client_entries",
    "heard",
    "make_client",
    "make_server",
    "own_entries",
    "refusal",
    "server_entries",
]
