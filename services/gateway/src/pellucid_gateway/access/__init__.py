"""Who may do what, and how often: keys, quotas, limits, abuse."""
