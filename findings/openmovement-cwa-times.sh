#!/usr/bin/env bash
# openmovement 0.0.1, CwaData: times of an Axivity file are up to a second off, and a pause is spread over the packet before it.
# The fraction of a second of each packet's stamp is multiplied by the rate in 16 bits, which runs over, so that the place in the packet that
# the stamp belongs to is not corrected; and times between two stamps lie on a line, whether the packets follow each other or not.
# Packages: openmovement==0.0.1 numpy==1.26.4 pandas==2.2.3 scipy==1.14.1 (with numpy 2 it is an OverflowError).
# The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check openmovement==0.0.1 numpy==1.26.4 pandas==2.2.3 scipy==1.14.1
py/bin/python - <<'PYTHON'
import struct
from importlib.metadata import version

import numpy as np
from openmovement.load import CwaData


def write(path, starts):
    """Write an AX3's file: a packet of 80 values at 100 Hz from each start on, in s of a minute."""
    packets = []
    for sequence, start in enumerate(starts):
        fraction = int(start % 1 * 32768)  # in the stamp; the place goes back by so many values, for programs that know no fractions
        place = -(fraction * 2 * 100 >> 16)
        stamp = 20 << 26 | 1 << 22 | 1 << 17 | int(start) // 60 << 6 | int(start) % 60
        packet = struct.pack("<HHHIIIHHBBBBhH", 0x5841, 508, 0x8000 | fraction, 1, sequence, stamp, 0, 0, 0, 0, 0x4A, 0x32, place, 80)
        packet = packet.ljust(510, b"\0")
        packets.append(packet + struct.pack("<H", -int(np.frombuffer(packet, "<u2").sum()) & 0xFFFF))
    with open(path, "wb") as file:
        file.write((b"MD" + struct.pack("<H", 1020) + bytes([0x17]) + bytes(31) + b"\x4a").ljust(1024, b"\0") + b"".join(packets))


def off(starts):
    write("a.cwa", starts)
    with CwaData("a.cwa") as file:
        times = file.get_sample_values()[:, 0] % 60
    return times, np.concatenate([start + np.arange(80) / 100 for start in starts])


print("openmovement", version("openmovement"), "numpy", version("numpy"))
times, written = off([0.8 * at for at in range(10)])
within = slice(80, -80)  # the first and the last packet are cut off by np.interp, as its comment says
print(f"without a pause: up to {np.abs(times - written)[within].max():.2f} s off; the 100th value at {times[99]:.2f} s, written at {written[99]:.2f} s")
first = np.abs(times - written)[within].max()
times, written = off([0, 1, 2, 3, 33, 34, 35])  # packets of 0.8 s at whole seconds, where no fraction runs over
longest = np.diff(times).max()
print(f"a pause of 30 s between two values: the longest step is {longest:.2f} s, and value 319, written at {written[319]:.2f} s, is at {times[319]:.2f} s")
assert first > 0.5 and longest < 1 and times[319] > 30, "times are read otherwise now"
PYTHON
