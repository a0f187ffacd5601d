"""What is counted: rollups, statistics, query log, weekly report."""
