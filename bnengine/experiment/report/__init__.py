"""A run as one HTML file: what was asked, what was found, what each number means, and how to repeat it."""
