"""Published numbers: tables, arithmetic on their cells, what committed runs decide of them."""
