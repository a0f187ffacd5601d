"""Whether a sentence may be shown: citations, figures, names, roles, conflicts."""
