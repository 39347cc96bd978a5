#!/usr/bin/env bash
# MNE 1.13.2, read_raw_gdf, on GDF 2 files, whose channels may be of several types and whose table of events has a rate of its own:
# - Events are put at position / rate of the signals, though the table counts in steps of its own rate, which MNE reads and does not use:
#   one at 0.5 s is at 5 s. Those that come to lie behind the end are dropped; only of that there is a warning.
# - All channels are read as numbers of the first one's type, if their types are of one size: whole numbers of 32 bits beside floats make
#   0.25 into 1,048,576,000. There is no warning. (Types of unlike sizes are an error.)
# - exclude= takes the values of other channels: without Cz, the channel Pz has Cz's.
# Packages: mne==1.13.2 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check mne==1.13.2 numpy==2.3.5
py/bin/python - <<'PYTHON'
import struct
from importlib.metadata import version

import mne
import numpy as np

TYPES = {"<i4": 5, "<f4": 16}


def write(path, channels, positions, event_rate):
    """Write ten records of 1 s by the description of GDF 2.20: channels (name, type, a value for all time points) at 100 Hz."""
    names, types, values = zip(*channels)
    n = len(channels)
    head = b"GDF 2.20" + b"X X".ljust(66, b"\0") + bytes(14 + 64 + 32) + struct.pack("<H", n + 1) + bytes(50)
    head += struct.pack("<qIIHH", 10, 1, 1, n, 0)
    head += b"".join(name.encode().ljust(16, b"\0") for name in names) + bytes(86 * n) + struct.pack(f"<{n}H", *[512] * n)
    head += struct.pack(f"<{4 * n}d", *[-1000] * n, *[1000] * n, *[-1000] * n, *[1000] * n)
    head += bytes(80 * n) + struct.pack(f"<{n}I", *[100] * n) + struct.pack(f"<{n}I", *(TYPES[one] for one in types)) + bytes(32 * n)
    record = b"".join(np.full(100, value, kind).tobytes() for kind, value in zip(types, values))
    k = len(positions)
    table = b"\x01" + k.to_bytes(3, "little") + struct.pack("<f", event_rate) + struct.pack(f"<{k}I", *positions) + struct.pack(f"<{k}H", *[769] * k)
    with open(path, "wb") as file:
        file.write(head + 10 * record + table)


print("mne", version("mne"))
write("a.gdf", [("Cz", "<i4", 3)], [501, 8001], 1000)  # counted from 1: at 0.5 and 8 s
raw = mne.io.read_raw_gdf("a.gdf", verbose="error")
print("events written at 0.5 and 8 s, read at", raw.annotations.onset)
assert raw.annotations.onset.tolist() == [5], "events are read otherwise now"

write("b.gdf", [("Cz", "<i4", 3), ("grip", "<f4", 0.25)], [1], 100)
values = mne.io.read_raw_gdf("b.gdf", preload=True, verbose="error").get_data()[:, 0]
print("values written 3 and 0.25, read", values)
assert values[0] == 3 and values[1] > 1e9, "types are read otherwise now"

write("c.gdf", [("Cz", "<i4", 3), ("Pz", "<i4", 7)], [1], 100)
raw = mne.io.read_raw_gdf("c.gdf", exclude=["Cz"], preload=True, verbose="error")
print("Pz written 7, read without Cz", raw.ch_names, raw.get_data()[0, 0])
assert raw.ch_names == ["Pz"] and raw.get_data()[0, 0] == 3, "exclude is read otherwise now"
PYTHON
