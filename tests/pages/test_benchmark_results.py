"""Sentences made of the benchmarks' figures: they say what the numbers say, whichever way they fall."""

import pytest

from pages.shared import benchmark_results


def setting(network, rows, score, truth, pi):
    """A line of the benchmark: (change, error) of the log-loss and of the distance to π."""
    (log_loss, log_loss_error), (distance, distance_error) = truth, pi
    return {
        "network": network,
        "rows": rows,
        "score": score,
        "log_loss_change": log_loss,
        "log_loss_error": log_loss_error,
        "total_absolute_error_change": distance,
        "total_absolute_error_error": distance_error,
    }


def said(*lines):
    return benchmark_results.on_correcting({"lines": list(lines)})


def test_what_the_figures_show_is_said():
    text = said(
        setting("alarm", 300, "BIC", (4.9, 0.4), (-1.1, 0.1)),
        setting("alarm", 1000, "BIC", (1.9, 0.2), (-0.5, 0.1)),
        setting("alarm", 1000, "BDeu(1)", (-6.0, 0.5), (0.1, 0.1)),
    )
    assert "on ALARM (300 and 1,000 rows, BIC and BDeu(1))" in text
    fresh, truth = text.split("; as a statement on which")
    assert "better than naive in 2 of 3 settings and as good in 1" in fresh
    assert "worse than naive in 2 of 3 settings and better in 1" in truth


def test_a_change_within_its_error_is_none():
    text = said(setting("alarm", 300, "BIC", (0.0, 0.0), (-1.0, 0.6)))
    assert text.count("as good as naive in 1 of 1 setting") == 2
    assert "worse" not in text
    assert "better" not in text


@pytest.mark.parametrize("fair", [(53.0, 52.9), (53.0, 60.0)])
def test_the_parent_limit_is_told_with_what_was_found(fair):
    lines = [
        {"limit": limit, "naive": naive, "corrected": c}
        for limit, naive, c in zip((5, None), (94.8, 200.0), fair, strict=True)
    ]
    text = benchmark_results.on_the_parent_limit({"lines": lines, "replicates": 12, "score": "BDeu(25)"})
    assert "94.8 edges with at most 5 parents, 200 edges with no limit" in text
    assert "BDeu(25), 12 replicates" in text
    assert ("they have 53 edges, whatever" in text) == (fair[1] == 52.9)
    assert ("53 to 60" in text) == (fair[1] == 60.0)


@pytest.mark.slow
def test_the_evidence_says_what_the_benchmark_found(visitor):
    visitor.go("evidence")
    assert any(benchmark_results.on_correcting() in caption.value for caption in visitor.at.caption)
    lines = benchmark_results.measured()["truth_and_pi"]["lines"]
    assert {line["network"] for line in lines} == {"alarm", "insurance"}
    assert {line["score"] for line in lines} == {"BIC", "BDeu(1)"}
