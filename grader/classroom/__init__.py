"""Many submissions: what came in, who grades it, where the results are kept."""
