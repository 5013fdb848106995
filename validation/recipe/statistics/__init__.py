"""Statistics of few seeds beside a printed number: intervals, Holm, direction and size, and the words of both."""
