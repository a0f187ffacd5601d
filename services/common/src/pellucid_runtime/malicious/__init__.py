"""Lists of malicious hosts and addresses that others keep, read again from time to time."""
