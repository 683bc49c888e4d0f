"""What fast means, as ratios: rows of two sides that take turns in one run on one machine."""
