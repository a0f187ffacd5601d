"""From providers' lists to one list: addresses, fusion, policy."""
