"""What the columns of the table are."""

CATEGORIES = {"job": 12, "city": 40, "weekday": 7}
NUMERIC = ("age", "income", "balance", "tenure", "visits", "score")


def embedding_width(cardinality):
    return min(16, (cardinality + 1) // 2)
