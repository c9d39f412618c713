"""What a page holds of a run: the register, the widgets that change it, and the address and files that keep it."""
