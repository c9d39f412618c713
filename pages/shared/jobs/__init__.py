"""Background jobs: progress, stopping, results."""
