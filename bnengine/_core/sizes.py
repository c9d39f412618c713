"""Sizes for people to read."""


def gigabytes(n_bytes: int) -> str:
    """Format a number of bytes; from 2**60 bytes on as a power of two, since floats end long before such numbers do."""
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes < 2**60 else f"2^{n_bytes.bit_length() - 31} GB"
