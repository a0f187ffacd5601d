"""The running of one turn: clock, budgets, ledger and events."""
