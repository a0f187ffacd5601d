"""The rules as data: patterns, matrix, signals."""
