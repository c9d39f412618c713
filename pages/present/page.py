"""Present: a lecture step by step, large and without settings, at an address that can be handed out."""

from pages.present.presenting import present

present()
