"""From a claim and its evidence to a label."""
