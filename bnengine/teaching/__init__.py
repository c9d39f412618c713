"""What only a lesson needs."""
