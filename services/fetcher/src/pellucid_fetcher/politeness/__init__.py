"""Manners towards a host: robots.txt, politeness, one fetch at a time."""
