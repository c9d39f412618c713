"""Settings: how they are declared, and the files and scripts that repeat an experiment.

``settings_of(bn.BDeu)`` lists the settings of a score, a search, a resampler or an experiment with their bounds,
defaults, labels and help. ``setting`` and ``field`` declare new ones.
"""

from bnengine._core.settings import Setting, entry_of, field, label_of, setting, setting_of, settings_of, tag_of
from bnengine._core.validation import one_of
from bnengine.bootstrap.calibration import OtherAnswer, Tables
from bnengine.experiment.archives import SessionFile
from bnengine.experiment.cut_anew import cut_anew
from bnengine.experiment.r_script import r_script

__all__ = [
    "OtherAnswer",
    "SessionFile",
    "Setting",
    "Tables",
    "cut_anew",
    "entry_of",
    "field",
    "label_of",
    "one_of",
    "r_script",
    "setting",
    "setting_of",
    "settings_of",
    "tag_of",
]
