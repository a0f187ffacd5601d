"""The egress rule: which addresses may be asked, decided once and enforced at dial time."""
