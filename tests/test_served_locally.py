"""The app listens on this machine only unless somebody asks for more."""

import tomllib
from pathlib import Path


def test_the_server_s_address_is_this_machine():
    text = (Path(__file__).parents[1] / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["server"]["address"] == "localhost"
