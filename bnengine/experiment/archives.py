"""A session as one ZIP to keep: settings, scripts, results and data."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pydantic_core

from bnengine._core.environment import pd, versions
from bnengine._core.validation import validated
from bnengine.data.checked_frame import DataError
from bnengine.data.csv_export import csv_text
from bnengine.data.dataset import Dataset
from bnengine.data.reading import read_named
from bnengine.data.reading_options import LIMITS, ReadingOptions, check_bytes
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.r_script import r_script
from bnengine.experiment.saved import from_json, up_to_date
from bnengine.networks.bif import bif_text
from bnengine.networks.network import BayesianNetwork

#: The format's version.
VERSION = 1
#: Members of the archive that are read again; the others are for people.
SETTINGS, DATA = "session.json", "data.parquet"
#: The file of the data as it is, by its first bytes.
_FILES = {b"PAR1": DATA, b"PK\x03\x04": "data.xlsx", b"\x1f\x8b": "data.gz"}
_TEXT = "data.csv"
_CALLED = "the session"
_MOST_SETTINGS = 2_000_000  # bytes
_PLAIN = re.compile(r"[a-z0-9_]{1,40}(\.[a-z]{2,4})?")  # of a table or a document
_FILE_NAME = re.compile(r"\w[\w. -]{0,80}\.bif")
_NEVER = (1980, 1, 1, 0, 0, 0)  # the same session gives the same bytes
_TAIL = 70_000  # bytes at the end of an archive, in which its list of members begins


@dataclass(frozen=True, eq=False)
class SessionFile:
    """Settings, tables of results and, if wanted, the data of a session.

    The fingerprint in an opened session's recipe is always that of the file in the session.

    Attributes
    ----------
    file : bytes, optional
        The file of the data as it is, if the experiment's recipe calls them a file; other data come with the program.
        Without it, whoever opens the session is asked for the file.
    tables : mapping from str to DataFrame
        Tables of results by name, written as CSV for people and other programs; they are not read again, since the
        settings give them.
    documents : mapping from str to bytes
        Further files by name, such as pictures, for people; they are not read again.
    further : str
        Python lines that follow those of the experiment in ``repeat.py``.
    remark : str
        Of an opened session: what stands in the place of what its settings name and this version has not, in sentences.
    treated : Dataset, optional
        The data after their treatment, for the R script: which columns are numbers.

    Examples
    --------
    >>> import bnengine as bn
    >>> content = bn.settings.SessionFile(bn.Experiment(score=bn.BDeu(10))).to_bytes()
    >>> bn.settings.SessionFile.from_bytes(content).experiment.score
    BDeu(ess=10.0)
    """

    experiment: Experiment
    file: bytes | None = None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    documents: Mapping[str, bytes] = field(default_factory=dict)
    further: str = ""
    remark: str = ""
    treated: Dataset | None = None

    def to_bytes(self) -> bytes:
        """Return the content of the file: a zip archive of JSON, the data's file, CSV and two scripts.

        Raises
        ------
        ValueError
            If data come with settings that do not need a file, or name another, or a table's name is no plain word.
        """
        experiment, file = self.experiment, self.file
        if file is not None:
            if experiment.data.source != "file":
                raise ValueError("file must be None unless the experiment's data are a file; the others are bundled")
            _check_fingerprint(file, experiment.data.fingerprint)
        odd = next((name for name in (*self.tables, *self.documents) if not _PLAIN.fullmatch(name)), None)
        if odd is not None:
            raise ValueError(
                f"tables and documents must have plain names, such as edges or edges.svg; got {odd[:60]!r}"
            )
        about = {"session": VERSION, "versions": versions(), "experiment": experiment.to_dict()}
        held = None if file is None else next((name for mark, name in _FILES.items() if file.startswith(mark)), _TEXT)
        about |= {} if held is None else {"data": held}
        members = {SETTINGS: json.dumps(about, indent=2, ensure_ascii=False).encode()}
        if held is not None and file is not None:
            members[held] = file
        for name, table in self.tables.items():
            members[f"{name}.csv"] = csv_text(table).encode()
        members |= {**self.documents, **_prior_network(experiment)}
        beside = experiment if held is None else _about(experiment, name=held)
        in_r = r_script(experiment, self.treated)
        members |= {"repeat.py": (beside.python() + self.further).encode(), "repeat.R": in_r.encode()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in members.items():
                packed.writestr(zipfile.ZipInfo(name, _NEVER), content, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    @classmethod
    @validated
    def from_bytes(cls, content: bytes) -> SessionFile:
        """Return the session in a file that ``to_bytes`` wrote, without its tables.

        Nothing is unpacked to the disk or run, and no more is unpacked than the limits of
        ``bnengine.data.reading_options``.

        Raises
        ------
        ValueError
            If the file is no session, damaged or too large; for its data, a ``DataError``, also if they are not the
            file that the settings name.
        """
        check_bytes(len(content), _CALLED, LIMITS.bytes)
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                settings = _member(packed, SETTINGS, _MOST_SETTINGS)
                held = next((name for name in (*_FILES.values(), _TEXT) if name in packed.namelist()), None)
                file = None if held is None else _member(packed, held, LIMITS.bytes)
        except DataError:
            raise
        except Exception as error:  # zipfile raises many kinds of errors for a damaged archive
            raise DataError(f"the file is not a readable session ({type(error).__name__}); save it again") from None
        try:
            about = pydantic_core.from_json(settings)
            version, named = about["session"], "data" in about
        except (ValueError, LookupError, TypeError):
            raise DataError(f"{_CALLED}'s settings cannot be read; save it again") from None
        if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
            raise ValueError(
                f"{_CALLED}'s version must be from 1 to {VERSION}; got {str(version)[:40]}: update bnengine"
            )
        values = from_json(settings)
        experiment, remark = Experiment.from_dict(values), up_to_date(values)[1]
        if file is None or experiment.data.source != "file":
            return cls(experiment, remark=remark)
        if held == DATA and file[:4] != b"PAR1":
            raise DataError(f"{_CALLED}'s data are not a Parquet file; save it again")
        if named:
            _check_fingerprint(file, experiment.data.fingerprint)
            reading: dict[str, Any] = {}
        else:  # an older session, whose Parquet file holds the table that was read from the file of its settings
            reading = dataclasses.asdict(ReadingOptions())
        return cls(_about(experiment, fingerprint=_digest(file), **reading), file, remark=remark)

    def frame(self) -> pd.DataFrame | None:
        """Return the raw table in the session's file, read as the settings say; None without a file.

        Raises
        ------
        DataError
            If it cannot be read.
        """
        if self.file is None:
            return None
        return read_named(io.BytesIO(self.file), f"{_CALLED}'s data", ReadingOptions(**self.experiment.data.reading))


def is_session(content: bytes) -> bool:
    """Return whether a file looks like a session, perhaps a damaged one; Excel files are zip archives, too."""
    return content[:2] == b"PK" and SETTINGS.encode() in content[:100] + content[-_TAIL:]


def opened(content: bytes) -> SessionFile:
    """Open a session, or a file of settings as a session without data; a ValueError if it is neither."""
    if is_session(content):
        return SessionFile.from_bytes(content)
    values = from_json(content)
    if not isinstance(values, dict) or not isinstance(values.get("data"), dict):
        raise ValueError("the file is JSON without saved settings; if it holds a table, write the table as CSV first")
    return SessionFile(Experiment.from_dict(values), remark=up_to_date(values)[1])


def _member(packed: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Unpack one member; since it may lie about its size, no more is unpacked than is allowed."""
    with packed.open(name) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise DataError(f"{_CALLED} holds more than {most / 1e6:g} MB in {name}; save it without its data")
    return content


def _about(experiment: Experiment, **changes: Any) -> Experiment:
    """Return the experiment about another file, or with its file read otherwise."""
    return dataclasses.replace(experiment, data=dataclasses.replace(experiment.data, **changes))


def _digest(file: bytes) -> str:
    return hashlib.sha256(file).hexdigest()


def _prior_network(experiment: Experiment) -> dict[str, bytes]:
    """Return the file of the score's prior network, which the script reads where it is not a bundled one."""
    prior = getattr(experiment.score, "prior_network", None)
    named = getattr(experiment.prior_named, "prior_network", "")
    if not isinstance(prior, BayesianNetwork) or not _FILE_NAME.fullmatch(named):
        return {}
    return {named: bif_text(prior).encode()}


def _check_fingerprint(file: bytes, named: str) -> None:
    found = _digest(file)
    if named not in ("", found):
        raise DataError(
            f"{_CALLED}'s data are not the file that its settings name: their SHA-256 is {found[:12]}…, not "
            f"{named[:12]}…; upload the file itself with the settings"
        )
