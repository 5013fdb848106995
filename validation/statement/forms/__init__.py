"""The forms a statement can have, as data: inequalities, expectations, orders, vectors, studies."""
