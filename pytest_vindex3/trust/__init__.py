"""Trust in the suite itself: what it does with implementations that are wrong on purpose."""
