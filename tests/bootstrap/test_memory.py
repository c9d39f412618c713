"""Memory is checked before the work: what would not fit is refused with what would."""

import pytest

import bnengine as bn
from bnengine._core import environment
from bnengine.bootstrap import resample as resampling
from bnengine.bootstrap.resample import check_memory


def test_a_run_that_does_not_fit_is_refused_with_what_would(monkeypatch):
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    monkeypatch.setattr(resampling, "free_bytes", lambda: 10_000)
    check_memory(data, [bn.Bootstrap(156)])
    with pytest.raises(bn.DataError, match=r"157 graphs of 8 variables .* free on this machine; 156 would fit"):
        check_memory(data, [bn.Bootstrap(157)])


def test_memory_that_a_container_allows(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    monkeypatch.setattr(environment, "_GROUP", tmp_path)
    assert environment.free_bytes() == 400
    (tmp_path / "memory.max").write_text("max\n")
    assert environment.free_bytes() != 400
