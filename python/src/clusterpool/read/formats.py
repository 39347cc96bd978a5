"""Which reader takes a file, and what it needs."""

from __future__ import annotations

import collections
import importlib
import importlib.metadata
import pathlib
import sys
from typing import NamedTuple

from . import content
from .heard import heard
from .recording import Recording, Unusable


class Format(NamedTuple):
    """A format: the endings of its files, the module that reads it, the extra of the wheel and the packages behind it."""

    name: str
    endings: tuple[str, ...]
    module: str
    extra: str
    packages: tuple[str, ...]


FORMATS = (
    Format("EDF, BDF", (".edf", ".bdf"), "edf", "edf", ("edfio",)),
    Format("BrainVision, EEGLAB", (".vhdr", ".set"), "brainvision", "brainvision", ("mne",)),
    Format("GDF", (".gdf",), "gdf", "brainvision", ("mne",)),
    Format("WFDB", (".hea",), "wfdb", "wfdb", ("wfdb",)),
    Format("XDF", (".xdf", ".xdfz"), "xdf", "xdf", ("pyxdf",)),
    Format("TDMS", (".tdms",), "tdms", "tdms", ("npTDMS",)),
    Format("MDF", (".mf4", ".mdf"), "mdf", "mdf", ("asammdf",)),
    Format("C3D", (".c3d",), "c3d", "c3d", ("ezc3d",)),
    Format("MATLAB", (".mat",), "matlab", "matlab", ("scipy", "h5py")),
    Format("NetCDF", (".nc", ".nc4"), "netcdf", "netcdf", ("xarray", "h5netcdf")),
    Format("Axivity", (".cwa",), "axivity", "", ()),
    Format("ActiGraph", (".gt3x",), "actigraph", "actigraph", ("pygt3x",)),
    Format("COMTRADE", (".cfg", ".cff"), "comtrade", "comtrade", ("comtrade",)),
    Format("miniSEED", (".mseed", ".miniseed", ".msd", ".sac", ".gse2"), "miniseed", "miniseed", ("obspy",)),
    Format("MCAP", (".mcap",), "mcap", "mcap", ("mcap", "mcap-ros2-support", "mcap-protobuf-support")),
)
BESIDE = {
    ".dat": "the header beside it, .hea of WFDB or .cfg of COMTRADE",
    ".atr": "the header beside it, .hea",
    ".eeg": "the .vhdr beside it",
    ".vmrk": "the .vhdr beside it",
    ".fdt": "the .set beside it",
    **dict.fromkeys(
        (".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".npy", ".ts", ".arff"), "it to ccp data import, which reads it"
    ),
}


def format_of(path: pathlib.Path) -> Format:
    """Return the format of a file by its ending, or say what to do."""
    ending = path.suffix.lower()
    for one in FORMATS:
        if ending in one.endings:
            return one
    if ending in BESIDE:
        raise ValueError(f"{path}: give {BESIDE[ending]}")
    known = ", ".join(f"{one.name} ({' '.join(one.endings)})" for one in FORMATS)
    raise ValueError(f"{path}: no format ends in {ending or 'nothing'}; there are {known}")


def read(path: str | pathlib.Path) -> list[Recording]:
    """Read the recordings in a file.

    Raises
    ------
    ModuleNotFoundError
        Its library is not installed.
    ValueError
        There is no such format, or the library cannot read the file.
    """
    path = pathlib.Path(path)
    of = format_of(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        module = importlib.import_module(f"{__package__}.{of.module}")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{path}: {of.name} needs {' and '.join(of.packages)}: pip install 'clusterpool[{of.extra}]'"
        ) from missing
    with open(path, "rb") as file:
        doubt = content.doubt(file.read(1 << 16), of.name)
    if doubt:
        raise Unusable(f"{path}: {doubt}")
    try:
        with heard({_imported(one) for one in of.packages}) as said:
            recordings = module.read(path)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{path}: {of.name} needs {missing.name}: pip install 'clusterpool[{of.extra}]'"
        ) from missing
    except Unusable as error:
        raise Unusable(f"{path}: {error}") from error
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: {reader_of(of)} cannot read it: {str(error) or type(error).__name__}") from error
    for recording in recordings[:1]:
        recording.notes += dict.fromkeys(said)
    for recording in recordings:
        taken: collections.Counter[str] = collections.Counter()
        for channel in recording.channels:
            taken[channel.name] += 1
            if taken[channel.name] > 1:  # as EDF files of CHB-MIT have T8-P8 twice
                channel.name = f"{channel.name}#{taken[channel.name]}"
    return recordings


def _imported(package: str) -> str:
    """Return the name by which a package is imported."""
    return package.lower().replace("-", "_").removesuffix("_support")


def reader_of(of: Format) -> str:
    """Name the libraries that were needed so far, and their versions."""
    found = [one for one in of.packages if _imported(one) in sys.modules]
    return ", ".join(f"{one} {importlib.metadata.version(one)}" for one in found) or "clusterpool"
