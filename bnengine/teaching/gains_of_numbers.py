"""What resampling adds to the gain of parents where variables are numbers: half a nat for each coefficient, too."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Repeats, RowCount, Samples, validated
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import GaussianBIC

#: The shapes of the columns, with the degree to which features of them are scored.
SHAPES = {"normal": 1, "skewed": 1, "heavy-tailed": 1, "curved": 2}
_SLOPE = 0.1


@validated
def gains_of_numbers(
    n_rows: RowCount = 300, n_samples: Samples = 25, n: Repeats = 80, *, rng: Seed = 0
) -> pd.DataFrame:
    """Compare what two parents gain in resamples with what they gain in the data, for numbers of several shapes.

    A child is the sum of a tenth of each of two independent parents, of their squares where it is curved, and noise;
    skewed columns are exponentials of normal ones, and heavy-tailed ones have Student's t with two degrees of freedom.
    A gain is that of the log-likelihood of ``GaussianBIC``, whose features are normal scores, and their squares where
    it is curved: one or four coefficients a parent.

    Parameters
    ----------
    n_rows : int
        Rows of each sample.
    n_samples : int
        Samples of each shape, at least 2.
    n : int
        Resamples of each sample.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line a shape: shape, coefficients, expected (half of them, nats), excess (the mean gain in resamples less
        that in their sample, nats) and its standard error over samples, error.

    Examples
    --------
    >>> table = gains_of_numbers(200, 10, 50, rng=1).set_index("shape")
    >>> bool(abs(table["excess"]["normal"] - table["expected"]["normal"]) < 0.5)
    True
    """
    lines = []
    for (shape, degree), of_shape in zip(SHAPES.items(), generator_of(rng).spawn(len(SHAPES)), strict=True):
        found = [_excess(_sample(shape, n_rows, own), degree, n, own) for own in of_shape.spawn(n_samples)]
        coefficients = 2 * degree**2
        error = float(np.std(found, ddof=1) / np.sqrt(n_samples))
        lines.append((shape, coefficients, coefficients / 2, float(np.mean(found)), error))
    return pd.DataFrame(lines, columns=["shape", "coefficients", "expected", "excess", "error"])


def _sample(shape: str, n_rows: int, rng: np.random.Generator) -> FloatArray:
    """Return the columns of a child and its two parents, (N, 3)."""
    columns: FloatArray = rng.normal(size=(n_rows, 3))
    if shape == "heavy-tailed":
        columns = rng.standard_t(2.0, (n_rows, 3))
    parents = columns[:, 1:] ** 2 if shape == "curved" else columns[:, 1:]
    columns[:, 0] += _SLOPE * parents.sum(axis=1)
    return np.exp(columns) if shape == "skewed" else columns


def _excess(columns: FloatArray, degree: int, n: int, rng: np.random.Generator) -> float:
    """Return the mean gain of the parents in resamples less that in the sample, nats."""
    names = ["child", "one", "other"]
    data = Dataset.from_frame(pd.DataFrame(columns, columns=names), numbers=names)
    scores = LocalScores(data, GaussianBIC(degree))
    of_data, gains = scores(0, [1, 2]) - scores(0), []
    for own in rng.spawn(n):
        scores.reweigh(drawn_with(data, data.n_rows, own))
        gains.append(scores(0, [1, 2]) - scores(0))
    return float(np.mean(gains)) - of_data
