"""How files of each format begin: their content says what they are, and their ending only what somebody called them."""

from __future__ import annotations

import re

# Where nothing stands, the format's library tells by itself: MATLAB 4 and formats of seismology begin in many ways.
BEGINS = {
    "EDF, BDF": rb"0[ \0]{7}|\xffBIOSEMI",
    "BrainVision, EEGLAB": rb"(\xef\xbb\xbf)?\s*Brain ?Vision|MATLAB ",
    "GDF": rb"GDF ",
    "WFDB": rb"(\s*#[^\n]*\n|\s*\n)*\S+[ \t]+\d+([ \t]+[\d.]|\s*\n|$)",
    "XDF": rb"XDF:|\x1f\x8b",
    "TDMS": rb"TDSm",
    "MDF": rb"MDF |UnFinMF ",
    "C3D": rb".\x50",
    "NetCDF": rb"CDF[\x01\x02\x05]|\x89HDF\r\n\x1a\n",
    "Axivity": rb"MD",
    "ActiGraph": rb"PK\x03\x04",
    "COMTRADE": rb"(\xef\xbb\xbf)?(\s*---\s*file type|[^\n]*\n\s*\d+\s*,\s*\d+\s*A)",
    "MCAP": rb"\x89MCAP0\r\n",
}
TELLING = {"MATLAB": rb"MATLAB [57]"}  # what begins so is of that format, whatever its ending is
TELLING |= {name: BEGINS[name] for name in ("EDF, BDF", "GDF", "TDMS", "MDF", "NetCDF", "MCAP")}


def doubt(first: bytes, name: str) -> str:
    """Say why a file that begins so is none of a format, and of which it is, if that is known; or return ""."""
    if not first:
        return "it is empty"
    fits = name in BEGINS and re.match(BEGINS[name], first, re.DOTALL | re.IGNORECASE)
    other = next((one for one, begin in TELLING.items() if one != name and re.match(begin, first)), "")
    if fits or name not in BEGINS and not other:
        return ""
    return f"it is no {name} file, but begins with {first[:8]!r}" + (f", as files of {other} do: correct its ending" if other else "")
