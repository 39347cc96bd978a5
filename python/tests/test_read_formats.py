"""Each reader on a small valid file: by the format's own library, or by the format's description where that writes none."""

import importlib
import json
import os
import pathlib
import re
import shlex
import struct
import zipfile

import numpy as np
import pytest

from clusterpool import _program
from clusterpool import read as package
from clusterpool.read import read
from clusterpool.read.__main__ import find, main


def needs(module, extra):
    if os.environ.get("CLUSTERPOOL_REQUIRE_READERS"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"{module} is not installed: pip install 'clusterpool[{extra}]'")


def only(path):
    (recording,) = read(path)
    return recording, {one.name: one for one in recording.channels}


def events(recording):
    return [(round(one.start, 6), round(one.end, 6), one.label) for one in recording.events]


def test_edf(tmp_path):
    """A slow signal keeps its own values and rate beside a fast one; MNE gives it values that were never measured."""
    edfio = needs("edfio", "edf")
    step = np.repeat([0.0, 100.0], 50)
    edfio.Edf(
        [
            edfio.EdfSignal(np.sin(np.arange(2560) / 9), 256, label="EEG Fp1-REF", physical_dimension="uV"),
            edfio.EdfSignal(step, 10, label="SaO2", physical_dimension="%"),
        ],
        annotations=[edfio.EdfAnnotation(1, 2, "closed"), edfio.EdfAnnotation(4.5, None, "open")],
    ).write(tmp_path / "a.edf")
    recording, channels = only(tmp_path / "a.edf")
    assert events(recording) == [(1, 3, "closed"), (4.5, 4.5, "open")]
    eeg, oxygen = recording.channels
    assert (
        oxygen.unit == "%" and np.allclose(oxygen.values, step, atol=0.01) and np.allclose(oxygen.times, np.arange(100) / 10)
    )
    assert (
        eeg.unit == "uV"
        and np.allclose(eeg.values, np.sin(np.arange(2560) / 9), atol=1e-3)
        and np.allclose(eeg.times, np.arange(2560) / 256)
    )


def commands(part):
    """Return the command lines in a part of the page, each as its words."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\n(.*?)```", page.split(f"## {part}")[1].split("\n## ")[0], re.DOTALL)
    return [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]


def test_tables_of_the_page(tmp_path, monkeypatch, capsys):
    """The page's lines make two tables of files as the page has them, which the program tests along time, and cuts ahead of events."""
    edfio = needs("edfio", "edf")
    monkeypatch.chdir(tmp_path)
    for at in range(1, 4):
        draw, times = np.random.default_rng(at), np.arange(6000) / 100
        x = draw.normal(size=(2, 6000)) + 3 * np.sin(60 * times) * (times % 4 < 2)
        signals = [edfio.EdfSignal(one, 100, label=f"EEG {name}-REF") for one, name in zip(x, ("O1", "O2"))]
        signals.append(edfio.EdfSignal(draw.normal(36, 0.1, 60), 1, label="Temp", physical_dimension="degC"))
        marks = [(second, 2, "open" if second % 4 else "closed") for second in range(0, 58, 2)]
        marks += [(4.5, 1, "BAD"), (60 - 2, 0, "end")]
        edfio.Edf(signals, annotations=[edfio.EdfAnnotation(*one) for one in marks]).write(f"s{at}.edf")
    night = [edfio.EdfSignal(np.sin(np.arange(6000) / 9 + at), 50, label=f"EEG {at}") for at in range(2)]
    seizures = [
        edfio.EdfAnnotation(*one)
        for one in [
            (30, 5, "seizure"),
            (31, 0, "nurse"),
            (70, 5, "seizure"),
            (100, 5, "seizure"),
        ]
    ]
    edfio.Edf(night, annotations=seizures).write("night.edf")
    train = "train --fast --backend go --data eeg.npz --checkpoint runs/eeg-transforms-1"
    assert main("s1.edf s2.edf --window 2s --step 1s --events closed,open --out eeg.npz".split()) == 0
    _program.run(_program.find(), train.split())
    for words in commands("Along time"):
        if words[0] == "python":
            assert main(words[3:]) == 0, capsys.readouterr().err
        else:
            _program.run(_program.find(), words[1:] + ["--backend", "go"] * (words[1] != "data"))
    table = np.genfromtxt("s3.csv", delimiter=",", names=True)
    assert len(table) == 6000 and table["time"][-1] == 59.99 and table.dtype.names[1:] == ("O1", "O2", "Temp")
    said = pathlib.Path("s3-events.csv").read_text().splitlines()
    assert (
        said[:4] == ["start,end,label", "0.0,2.0,closed", "2.0,4.0,open", "4.0,4.5,closed"] and said[4] == "5.5,6.0,closed"
    )
    with np.load("night.npz") as made:
        count = dict(zip(*np.unique(made["class_names"][made["labels"]], return_counts=True)))
    assert count["seizure"] == 3 * 11 and count["no event"] > 0


def discontinuous(path, onsets):
    """Write an EDF+D file by the description of EDF+: a signal of 10 Hz in records of 1 s, which begin at the onsets."""

    def fields(width, *values):
        return b"".join(str(value).encode().ljust(width) for value in values)

    head = fields(8, 0) + fields(80, "X X X X", "Startdate 01-JAN-2020 X X X") + fields(8, "01.01.20", "00.00.00", 768)
    head += (
        fields(44, "EDF+D")
        + fields(8, len(onsets), 1)
        + fields(4, 2)
        + fields(16, "Cz", "EDF Annotations")
        + fields(80, "", "")
    )
    head += (
        fields(8, "uV", "", -3276.8, -1, 3276.7, 1, -32768, -32768, 32767, 32767)
        + fields(80, "", "")
        + fields(8, 10, 30)
        + fields(32, "", "")
    )
    records = [
        np.arange(10 * at, 10 * at + 10, dtype="<i2").tobytes()
        + f"+{onset}\x14\x14\0+{onset + 0.5}\x15{0.5}\x14e{at}\x14\0".encode().ljust(60, b"\0")
        for at, onset in enumerate(onsets)
    ]
    path.write_bytes(head + b"".join(records))


def test_discontinuous_edf(tmp_path):
    """A pause stays where it was, and so annotations stay with what they mark; MNE and edfio close it."""
    needs("edfio", "edf")
    discontinuous(tmp_path / "a.edf", [0, 1, 5, 6])
    recording, channels = only(tmp_path / "a.edf")
    assert np.allclose(channels["Cz"].times, np.r_[0:2:0.1, 5:7:0.1]) and np.allclose(
        channels["Cz"].values, np.arange(40) / 10
    )
    assert events(recording)[2] == (5.5, 6, "e2")
    assert channels["Cz"].values[np.searchsorted(channels["Cz"].times, 5.5 - 1e-9)] == pytest.approx(2.5)
    discontinuous(tmp_path / "b.edf", [0.25, 1.25, 5.25])  # as a file that began within a second
    recording, channels = only(tmp_path / "b.edf")
    assert np.allclose(channels["Cz"].times, np.r_[0:2:0.1, 5:6:0.1]) and events(recording)[2] == (5.5, 6, "e2")


def test_edf_headers(tmp_path):
    """A unit in Latin letters is one, and a count of records that the file has not is told."""
    edfio = needs("edfio", "edf")
    signals = [
        edfio.EdfSignal(np.sin(np.arange(1000) / 9), 100, label=label, physical_dimension="uV") for label in ("Cz", "Oz")
    ]
    edfio.Edf(signals).write(tmp_path / "a.edf")
    content = (tmp_path / "a.edf").read_bytes().replace(b"uV      ", b"\xb5V      ")
    (tmp_path / "a.edf").write_bytes(content[:236] + b"8       " + content[244:])
    recording, channels = only(tmp_path / "a.edf")
    assert channels["Oz"].unit == "µV" and np.allclose(channels["Oz"].values, np.sin(np.arange(1000) / 9), atol=1e-4)
    assert len(channels["Cz"].times) == 1000 and channels["Cz"].times[-1] == pytest.approx(9.99)
    assert any("8 data records" in note for note in recording.notes)


def test_bdf(tmp_path):
    """The changes of BioSemi's status channel are moments; its upper bits, which say how the amplifier is, are none."""
    edfio = needs("edfio", "edf")
    status = np.full(300, 0x100000)
    status[100:110] += 7
    status[200:210] += 9
    edfio.Bdf(
        [
            edfio.BdfSignal(np.sin(np.arange(300) / 9), 100, label="A1", physical_dimension="uV"),
            edfio.BdfSignal.from_digital(status.astype(np.int32), 100, label="Status", physical_range=(-8388608, 8388607))
            if hasattr(edfio.BdfSignal, "from_digital")
            else edfio.BdfSignal(status.astype(float), 100, label="Status", physical_range=(-8388608, 8388607)),
        ]
    ).write(tmp_path / "a.bdf")
    (tmp_path / "b.edf").write_bytes((tmp_path / "a.bdf").read_bytes())
    for name in ("a.bdf", "b.edf"):  # the first byte tells them apart
        recording, channels = only(tmp_path / name)
        assert list(channels) == ["A1"] and events(recording) == [(1, 1, "7"), (2, 2, "9")]
        assert np.allclose(channels["A1"].values, np.sin(np.arange(300) / 9), atol=1e-3)


def test_brainvision(tmp_path):
    pybv, _ = needs("pybv", "brainvision"), needs("mne", "brainvision")
    data = np.random.default_rng(0).normal(0, 20e-6, (3, 500))
    pybv.write_brainvision(
        data=data,
        sfreq=250,
        ch_names=["Cz", "EOG", "temp"],
        fname_base="a",
        folder_out=str(tmp_path),
        unit=["µV", "µV", "C"],
        events=[
            {"onset": 100, "type": "Stimulus", "description": 1, "duration": 1},
            {"onset": 200, "type": "Comment", "description": "BAD_blink", "duration": 50},
            {"onset": 300, "type": "Comment", "description": "eyes closed", "duration": 1},
        ],
    )
    recording, channels = only(tmp_path / "a.vhdr")
    assert np.allclose(channels["Cz"].values, data[0] * 1e6, atol=0.1) and channels["Cz"].unit == "µV"
    assert channels["Cz"].times[1] == pytest.approx(0.004) and channels["temp"].unit == "C"
    blink = (0.8, 1, "BAD_blink")  # as MNE's export has its annotations, so that windows on them are left out
    assert events(recording) == [(0.4, 0.4, "Stimulus/S  1"), blink, (1.2, 1.2, "Comment/eyes closed")]
    assert set(recording.positions) == {"Cz"}


def test_eeglab(tmp_path):
    """Microvolts stay such, latencies count from 1, and no window lies across the boundary of joined pieces."""
    needs("mne", "brainvision")
    import scipy.io

    data = np.random.default_rng(0).normal(0, 20, (2, 500)).astype(np.float32)
    places = np.array([("Cz",), ("Oz",)], dtype=[("labels", object)])
    marks = np.array(
        [("go", 101.0, 0.0), ("boundary", 250.5, 1000.0)],
        dtype=[("type", object), ("latency", object), ("duration", object)],
    )
    struct = {
        "setname": "a",
        "nbchan": 2.0,
        "trials": 1.0,
        "pnts": 500.0,
        "srate": 250.0,
        "xmin": 0.0,
        "xmax": 1.996,
        "data": data,
        "chanlocs": places,
        "event": marks,
        "epoch": [],
        "ref": "common",
        "icawinv": [],
        "icaweights": [],
        "icasphere": [],
        "icaact": [],
    }
    scipy.io.savemat(tmp_path / "a.set", {"EEG": struct}, appendmat=False)
    recording, channels = only(tmp_path / "a.set")
    assert np.allclose(channels["Cz"].values, data[0], atol=1e-3) and channels["Oz"].unit == "µV"
    assert [(one.label, round(one.start, 3), one.end == one.start) for one in recording.events] == [
        ("go", 0.4, True),
        ("BAD boundary", 0.997, True),
    ]


def test_eeglab_epochs(tmp_path):
    """Each epoch is a recording, and the event around which it lies is its class."""
    needs("mne", "brainvision")
    import scipy.io

    data = np.random.default_rng(0).normal(0, 20, (2, 150, 3)).astype(np.float32)  # [channels, timepoints, epochs]
    names = ["left", "right", "left"]
    marks = [(name, 150.0 * at + 26, at + 1.0) for at, name in enumerate(names)]
    epochs = [(at + 1.0, 0.0, name) for at, name in enumerate(names)]
    kinds = [("event", object), ("eventlatency", object), ("eventtype", object)]
    struct = dict.fromkeys(["icawinv", "icaweights", "icasphere", "icaact"], []) | {
        "setname": "a",
        "nbchan": 2.0,
        "trials": 3.0,
        "pnts": 150.0,
        "srate": 250.0,
        "xmin": -0.1,
        "xmax": 0.496,
        "data": data,
        "chanlocs": np.array([("Cz",), ("Oz",)], dtype=[("labels", object)]),
        "event": np.array(marks, dtype=[("type", object), ("latency", object), ("epoch", object)]),
        "epoch": np.array(epochs, dtype=kinds),
        "ref": "common",
    }
    scipy.io.savemat(tmp_path / "a.set", {"EEG": struct}, appendmat=False)
    found = read(tmp_path / "a.set")
    assert [(one.name, one.label) for one in found] == [("epoch 0", "left"), ("epoch 1", "right"), ("epoch 2", "left")]
    oz = found[1].channels[1]
    assert (oz.name, oz.unit) == ("Oz", "µV") and np.allclose(oz.values, data[1, :, 1], atol=1e-3)
    assert np.allclose(oz.times, -0.1 + np.arange(150) / 250) and set(found[2].positions) == {"Cz", "Oz"}


def test_gdf(tmp_path):
    """Microvolts stay such, a unit that MNE takes for volts is none, and events begin at the sample that they name.

    The file is by the description of GDF 1.25 (Schloegl 2006): two channels at 100 Hz in records of 1 s, an event table.
    """
    needs("mne", "brainvision")
    rng = np.random.default_rng(0)
    digital = rng.integers(-1000, 1000, (3, 2, 100)).astype("<i2")  # record by record, channel by channel

    def texts(width, *values):
        return b"".join(value.encode().ljust(width) for value in values)

    head = texts(8, "GDF 1.25") + texts(80, "X X") + texts(80, "test") + texts(16, "2024053112000000")
    head += struct.pack("<q", 256 * 3) + bytes(8 * 3 + 20) + struct.pack("<qIII", 3, 1, 1, 2)
    head += texts(16, "EEG:Cz", "grip") + texts(80, "", "") + texts(8, "uV", "N")
    head += struct.pack("<2d2d2q2q", -1000, -1000, 1000, 1000, -1000, -1000, 1000, 1000)
    head += texts(80, "", "") + struct.pack("<2i2i", 100, 100, 3, 3) + bytes(2 * 32)  # of type int16
    table = struct.pack("<B3BI2I2H2H2I", 3, 1000 % 256, 1000 // 256, 0, 2, 501, 1501, 769, 770, 0, 0, 0, 500)
    (tmp_path / "a.gdf").write_bytes(head + digital.tobytes() + table)
    recording, channels = only(tmp_path / "a.gdf")
    eeg, grip = recording.channels
    assert eeg.unit == "µV" and np.allclose(eeg.values, digital[:, 0].ravel(), atol=1e-6)
    assert not grip.unit and np.allclose(grip.values, digital[:, 1].ravel())
    assert eeg.times[1] == pytest.approx(0.01) and events(recording) == [(0.5, 0.5, "769"), (1.5, 2, "770")]


def gdf2(path, channels, events, event_rate, mode=3):
    """Write a GDF 2.20 file by its description (Schloegl 2006, 2013): records of 1 s of channels (name, code of the unit, type, digital
    values [records, timepoints]), which are physical ones from -1000 to 1000, and a table of events (position, code, length)."""

    def texts(width, *values):
        return b"".join(value.encode().ljust(width, b"\0") for value in values)

    names, units, types, values = zip(*channels)
    count, records = len(channels), len(values[0])
    head = texts(8, "GDF 2.20") + texts(66, "X X") + bytes(14) + texts(64, "test") + bytes(32) + struct.pack("<H", count + 1)
    head += bytes(50) + struct.pack("<qIIHH", records, 1, 1, count, 0)
    head += texts(16, *names) + bytes(86 * count) + struct.pack(f"<{count}H", *units)
    head += struct.pack(f"<{4 * count}d", *[-1000] * count, *[1000] * count, *[-1000] * count, *[1000] * count)
    head += bytes(80 * count) + struct.pack(f"<{count}I", *(one.shape[1] for one in values))
    head += struct.pack(f"<{count}I", *({"<i2": 3, "<i4": 5, "<f4": 16}[one] for one in types)) + bytes(32 * count)
    body = b"".join(one[record].astype(kind).tobytes() for record in range(records) for one, kind in zip(values, types))
    positions, codes, lengths = zip(*events)
    table = struct.pack("<B", mode) + len(events).to_bytes(3, "little") + struct.pack("<f", event_rate)
    table += struct.pack(f"<{len(events)}I", *positions) + struct.pack(f"<{len(events)}H", *codes)
    if mode == 3:
        table += bytes(2 * len(events)) + struct.pack(f"<{len(events)}I", *lengths)
    path.write_bytes(head + body + table)


MICROVOLT, MILLIVOLT, NO_UNIT = 4275, 4274, 512


def test_gdf2(tmp_path):
    """Events count in the steps of their own table, and signals have their own types and rates; MNE knows of none of these."""
    needs("mne", "brainvision")
    draw = np.random.default_rng(0)
    fast, grip, slow = draw.integers(-999, 999, (3, 100)), draw.integers(-999, 999, (3, 100)), np.arange(30).reshape(3, 10)
    channels = [("EEG:Cz", MICROVOLT, "<i4", fast), ("grip", NO_UNIT, "<f4", grip)]
    gdf2(tmp_path / "a.gdf", channels, [(501, 769, 0), (1501, 770, 500)], 1000)
    recording, channels = only(tmp_path / "a.gdf")
    cz, force = recording.channels
    assert (
        cz.unit == "µV"
        and np.allclose(cz.values, fast.ravel())
        and not force.unit
        and np.allclose(force.values, grip.ravel())
    )
    assert events(recording) == [(0.5, 0.5, "769"), (1.5, 2, "770")] and not recording.notes
    channels = [("Cz", MILLIVOLT, "<i2", fast), ("slow", NO_UNIT, "<i2", slow)]
    gdf2(tmp_path / "b.gdf", channels, [(1, 768, 0), (151, 0x7FFE, 0), (201, 768 + 0x8000, 0)], 100, mode=1)
    recording, channels = only(tmp_path / "b.gdf")
    assert channels["Cz"].unit == "µV" and np.allclose(channels["Cz"].values, 1000 * fast.ravel())
    assert np.array_equal(channels["slow"].values, slow.ravel()) and np.allclose(channels["slow"].times, np.arange(30) / 10)
    assert events(recording) == [(0, 2, "768"), (1.4975, 1.4975, "BAD boundary")]


def test_gdf_pauses(tmp_path):
    """Where all signals have their lowest value, as between the runs of BCI Competition IV, there are none."""
    needs("mne", "brainvision")
    values = np.random.default_rng(0).integers(-1000, 1000, (2, 3, 100))
    values[:, 1] = -1000
    values[0, 2, 7] = -1000
    gdf2(tmp_path / "a.gdf", [("C3", MICROVOLT, "<i2", values[0]), ("C4", MICROVOLT, "<i2", values[1])], [(1, 768, 0)], 0)
    _, channels = only(tmp_path / "a.gdf")
    assert np.flatnonzero(np.isnan(channels["C3"].values)).tolist() == list(range(100, 200))
    assert np.isnan(channels["C4"].values).sum() == 100 and channels["C3"].values[207] == -1000


def test_wfdb(tmp_path):
    """A signal with four values a frame keeps them all; wfdb averages them unless it is told not to."""
    wfdb = needs("wfdb", "wfdb")
    fast, slow = np.round(100 * np.sin(np.arange(400) / 3)) / 10, np.arange(100.0) / 10
    wfdb.Record(
        record_name="a",
        n_sig=2,
        fs=25,
        sig_len=100,
        e_d_signal=[(fast * 100).astype(int), (slow * 100).astype(int)],
        samps_per_frame=[4, 1],
        fmt=["16", "16"],
        adc_gain=[100.0, 100.0],
        baseline=[0, 0],
        units=["mV", "bpm"],
        sig_name=["ECG", "HR"],
        adc_res=[16, 16],
        adc_zero=[0, 0],
        init_value=[0, 0],
        checksum=[0, 0],
        block_size=[0, 0],
        file_name=["a.dat", "a.dat"],
    ).wrsamp(write_dir=str(tmp_path), expanded=True)
    wfdb.wrann(
        "a",
        "atr",
        np.array([25, 50, 60]),
        symbol=["+", "N", "+"],
        aux_note=["(AFIB", "", "(N"],
        fs=25,
        write_dir=str(tmp_path),
    )
    recording, channels = only(tmp_path / "a.hea")
    assert np.allclose(channels["ECG"].values, fast, atol=0.02) and np.allclose(channels["ECG"].times, np.arange(400) / 100)
    assert np.allclose(channels["HR"].values, slow, atol=0.02) and channels["HR"].unit == "bpm"
    assert events(recording) == [(1, 2.4, "(AFIB"), (2, 2, "N"), (2.4, np.inf, "(N")]


def test_wfdb_cut_off(tmp_path):
    """What there is of a file of signals is read, and told; a record of segments needs all."""
    wfdb = needs("wfdb", "wfdb")
    wave = np.round(np.sin(np.arange(600.0).reshape(300, 2) / 9), 3)
    for at, form in enumerate(["16", "212"]):
        wfdb.wrsamp(f"s{at}", 100, ["mV", "mV"], ["I", "II"], wave, fmt=[form] * 2, write_dir=str(tmp_path))
        assert not only(tmp_path / f"s{at}.hea")[0].notes
        (tmp_path / f"s{at}.dat").write_bytes((tmp_path / f"s{at}.dat").read_bytes()[:613])
        recording, channels = only(tmp_path / f"s{at}.hea")
        there = [153, 204][at]
        assert np.allclose(channels["II"].values, wave[:there, 1], atol=2e-3)
        assert f"{there} of 300 frames" in recording.notes[0]
        assert np.allclose(channels["I"].times, np.arange(there) / 100)
    (tmp_path / "whole.hea").write_text("whole/2 2 100 600\ns0 300\ns1 300\n")
    with pytest.raises(ValueError, match="whole.hea: its segment s0 is cut off: it has 153 of 300 frames"):
        read(tmp_path / "whole.hea")


def test_wfdb_of_segments(tmp_path):
    """In a folder, segments are read with their record alone; a second file of signals holds no annotations."""
    wfdb = needs("wfdb", "wfdb")
    for at, length in enumerate([300, 200]):
        wave = np.round(np.sin(np.arange(2.0 * length).reshape(length, 2) / 9), 3)
        wfdb.wrsamp(f"s{at}", 100, ["mV", "mV"], ["I", "II"], wave, fmt=["16", "16"], write_dir=str(tmp_path))
    (tmp_path / "whole.hea").write_text("# of two\nwhole/3 2 100 500\nlayout 0\ns0 300\ns1 200\n")
    (tmp_path / "layout.hea").write_text("layout 2 100 0\n~ 0 200(0)/mV 16 0 0 0 0 I\n~ 0 200(0)/mV 16 0 0 0 0 II\n")
    assert find([tmp_path]) == ([tmp_path / "whole.hea"], [])
    assert find([tmp_path / "s0.hea"])[0] == [tmp_path / "s0.hea"]
    _, channels = only(tmp_path / "whole.hea")
    assert len(channels["II"].values) == 500 and channels["II"].values[301] == pytest.approx(np.sin(3 / 9), abs=2e-3)
    header = (tmp_path / "s0.hea").read_text().replace("s0.dat", "s0.xyz")
    (tmp_path / "s0.hea").write_text(header)
    (tmp_path / "s0.dat").rename(tmp_path / "s0.xyz")
    recording, channels = only(tmp_path / "s0.hea")
    assert len(channels["I"].values) == 300 and not recording.events


def xdf(path, streams):
    """Write an XDF file by its description: streams of (name, type, format, rate, labels, times, rows)."""

    def chunk(tag, content):
        return b"\x04" + struct.pack("<IH", len(content) + 2, tag) + content

    out = b"XDF:" + chunk(1, b"<info><version>1.0</version></info>")
    for number, (name, kind, form, rate, labels, times, rows) in enumerate(streams, 1):
        listed = "".join(f"<channel><label>{label}</label><unit>microvolts</unit></channel>" for label in labels)
        head = (
            f"<info><name>{name}</name><type>{kind}</type><channel_count>{len(labels)}</channel_count><nominal_srate>{rate}</nominal_srate>"
            f"<channel_format>{form}</channel_format><desc><channels>{listed}</channels></desc></info>"
        )
        out += chunk(2, struct.pack("<I", number) + head.encode())
        content = struct.pack("<I", number) + b"\x04" + struct.pack("<I", len(times))
        for time, row in zip(times, rows):
            content += b"\x08" + struct.pack("<d", time)
            content += (
                b"".join(b"\x01" + bytes([len(one)]) + one.encode() for one in row)
                if form == "string"
                else struct.pack(f"<{len(row)}f", *row)
            )
        out += chunk(3, content)
    path.write_bytes(out)


def test_xdf(tmp_path):
    """Values stay beside the markers over a pause; pyxdf spreads one of 4 s at 100 Hz over all times."""
    needs("pyxdf", "xdf")
    times = 1000 + np.r_[0:5:0.01, 9:14:0.01] + np.random.default_rng(0).uniform(-0.002, 0.002, 1000)
    xdf(
        tmp_path / "a.xdf",
        [
            ("Amp", "EEG", "float32", 100, ["Cz", "O1"], times, np.c_[np.arange(1000), -np.arange(1000)]),
            ("Keys", "Markers", "string", 0, ["m"], [1002.5, 1010.0], [["go"], ["stop"]]),
        ],
    )
    recording, channels = only(tmp_path / "a.xdf")
    since = channels["Cz"].times
    assert np.abs(since - since[0] - np.r_[0:5:0.01, 9:14:0.01]).max() < 0.002 and np.allclose(
        np.diff(since[:500]), np.diff(since[:2])
    )
    assert channels["O1"].unit == "microvolts" and np.array_equal(channels["O1"].values, -np.arange(1000))
    assert [round(one.start - since[0], 1) for one in recording.events] == [2.5, 10.0] and [
        one.label for one in recording.events
    ] == ["go", "stop"]
    assert any("made even" in note for note in recording.notes)


def test_tdms(tmp_path):
    """Channels have their own rates and begins; groups with the same channels are recordings."""
    nptdms = needs("nptdms", "tdms")
    begin = np.datetime64("2024-05-31T12:00:00")

    def channel(group, name, values, step, later):
        return nptdms.ChannelObject(
            group,
            name,
            values,
            properties={
                "wf_increment": step,
                "wf_start_time": begin + np.timedelta64(later, "ms"),
                "wf_start_offset": 0.0,
                "unit_string": "V",
            },
        )

    with nptdms.TdmsWriter(tmp_path / "a.tdms") as file:
        file.write_segment(
            [channel("g", "fast", np.arange(100.0), 0.01, 0), channel("g", "slow", np.arange(10, dtype=np.int32), 0.1, 50)]
        )
    recording, channels = only(tmp_path / "a.tdms")
    assert np.allclose(channels["fast"].times, np.arange(100) / 100) and np.allclose(
        channels["slow"].times, 0.05 + np.arange(10) / 10
    )
    assert channels["slow"].unit == "V" and channels["slow"].values.dtype.kind == "i"
    with nptdms.TdmsWriter(tmp_path / "b.tdms") as file:
        file.write_segment(
            [channel(group, "x", np.arange(50.0) + at, 0.01, 0) for at, group in enumerate(["run 1", "run 2"])]
        )
        file.write_segment([channel("run 1 - Decimated Data_Level1", "x", np.arange(5.0), 0.1, 0)])
    first, second = read(tmp_path / "b.tdms")
    assert (first.name, second.name) == ("run 1", "run 2") and second.channels[0].values[0] == 1
    with nptdms.TdmsWriter(tmp_path / "c.tdms") as file:
        file.write_segment([nptdms.ChannelObject("g", "x", np.arange(5.0))])
    assert not only(tmp_path / "c.tdms")[0].timed


def test_tdms_times(tmp_path):
    """Times are a channel of stamps or of seconds, too, for all of its group that has as many values; what has none is left out."""
    nptdms = needs("nptdms", "tdms")
    stamps = np.datetime64("2024-05-31T12:00:00") + np.arange(50) * np.timedelta64(20, "ms")

    def write(name, *channels):
        with nptdms.TdmsWriter(tmp_path / name) as file:
            file.write_segment([nptdms.ChannelObject(*channel) for channel in channels])
        return only(tmp_path / name)

    for times in (stamps, np.arange(50) * 0.02):
        _, channels = write("a.tdms", ("g", "Time", times), ("g", "x", np.arange(50.0)))
        assert list(channels) == ["x"] and np.allclose(channels["x"].times, np.arange(50) / 50)
    of_wave, states = {"wf_increment": 0.01}, ["on"] * 25 + ["off"] * 25
    recording, channels = write(
        "b.tdms", ("g", "x", np.arange(50.0), of_wave), ("g", "state", states), ("setup", "gain", np.arange(3.0))
    )
    assert recording.timed and list(channels) == ["x", "state"] and "gain is left out" in recording.notes[0]
    stretches = package.recording.stretches(channels["state"])
    assert [(one.start, one.label) for one in stretches] == [(0, "on"), (0.25, "off")]
    _, channels = write("d.tdms", ("g", "x", np.arange(50.0), of_wave), ("h", "x", np.ones(50), of_wave), ("h", "y", np.ones(50), of_wave))
    assert list(channels) == ["g/x", "h/x", "y"]  # a name has its group only where it comes in several
    recording, channels = write("c.tdms", ("g", "t", np.arange(50.0) % 7), ("g", "x", np.arange(50.0)))  # a temperature
    assert not recording.timed and list(channels) == ["t", "x"]


def test_tdms_cut_off(tmp_path, capfd):
    """What npTDMS logs is told as a note of the file, and not beside it; its logger is as before afterwards."""
    nptdms = needs("nptdms", "tdms")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as file:
        file.write_segment([nptdms.ChannelObject("g", "x", np.arange(100.0), {"wf_increment": 0.01})])
    (tmp_path / "a.tdms").write_bytes((tmp_path / "a.tdms").read_bytes()[:-404])
    recording, channels = only(tmp_path / "a.tdms")
    assert len(channels["x"].values) < 60 and any("less data than expected" in note for note in recording.notes)
    assert "less data" not in capfd.readouterr().err
    nptdms.TdmsFile.read(tmp_path / "a.tdms")
    assert "less data" in capfd.readouterr().err


def test_tdms_times_by_unit(tmp_path):
    """The name of a channel of times may say its unit, if the channel has none."""
    nptdms = needs("nptdms", "tdms")
    for name, unit, step in [("Time_ms", "", 20), ("time (ms)", "", 20), ("Time", "ms", 20), ("timestamp", "", 0.02)]:
        with nptdms.TdmsWriter(tmp_path / "a.tdms") as file:
            times = nptdms.ChannelObject("g", name, 5 + np.arange(50.0) * step, {"unit_string": unit})
            file.write_segment([times, nptdms.ChannelObject("g", "x", np.arange(50.0))])
        _, channels = only(tmp_path / "a.tdms")
        assert list(channels) == ["x"] and np.allclose(channels["x"].times, np.arange(50) / 50)


def test_mdf(tmp_path):
    """Values marked as invalid are NaN, names of states are texts, each group has its own times."""
    asammdf = needs("asammdf", "mdf")
    from asammdf.blocks.v4_blocks import EventBlock

    invalid = np.zeros(20, bool)
    invalid[5:8] = True
    modes = {"val_0": 0, "val_1": 1, "text_0": b"idle", "text_1": b"drive", "default": b""}
    with asammdf.MDF(version="4.10") as file:
        file.append(
            [
                asammdf.Signal(
                    np.arange(100, dtype=np.uint16),
                    np.arange(100) / 10,
                    name="speed",
                    unit="km/h",
                    conversion={"a": 2.0, "b": -1.0},
                )
            ]
        )
        file.append(
            [
                asammdf.Signal((np.arange(20) // 10).astype(np.uint8), np.arange(20) / 2, name="mode", conversion=modes),
                asammdf.Signal(np.arange(20.0), np.arange(20) / 2, name="oil", unit="C", invalidation_bits=invalid),
            ]
        )
        for name, at, kind in [("brake", 1500, 0), ("lap", 2000, 1), ("lap", 4000, 2)]:  # a moment, and both ends of a range
            file.events.append(
                EventBlock(event_type=6, sync_type=1, range_type=kind, cause=0, sync_base=at, sync_factor=0.001)
            )
            file.events[-1].name = name
        file.save(tmp_path / "a.mf4", overwrite=True)
    recording, channels = only(tmp_path / "a.mf4")
    assert np.array_equal(channels["speed"].values, 2.0 * np.arange(100) - 1) and channels["speed"].unit == "km/h"
    assert np.allclose(channels["oil"].times, np.arange(20) / 2) and np.array_equal(
        np.isnan(channels["oil"].values), invalid
    )
    stretches = package.recording.stretches(channels["mode"])
    assert [(one.start, one.end, one.label) for one in stretches] == [(0, 5, "idle"), (5, 10, "drive")]
    assert events(recording) == [(1.5, 1.5, "brake"), (2, 4, "lap")]


def test_mdf_cut_off(tmp_path, capfd):
    """A file that is cut off is an error, and asammdf's own after it, in the end of what it left half made, is not seen."""
    asammdf = needs("asammdf", "mdf")
    with asammdf.MDF(version="4.10") as file:
        file.append([asammdf.Signal(np.arange(5000.0), np.arange(5000) / 10, name="speed")])
        file.save(tmp_path / "a.mf4", overwrite=True)
    content = (tmp_path / "a.mf4").read_bytes()
    for share in (0.3, 0.02):
        (tmp_path / "a.mf4").write_bytes(content[: int(len(content) * share)])
        with pytest.raises(ValueError, match="a.mf4: asammdf cannot read it: ."):
            read(tmp_path / "a.mf4")
        assert "Exception ignored" not in capfd.readouterr().err


def test_mdf_3(tmp_path):
    asammdf = needs("asammdf", "mdf")
    with asammdf.MDF(version="3.30") as file:
        file.append([asammdf.Signal(np.arange(50.0), np.arange(50) / 10, name="speed", unit="km/h")])
        file.save(tmp_path / "a.mdf", overwrite=True)
    _, channels = only(tmp_path / "a.mdf")
    assert np.allclose(channels["speed"].times, np.arange(50) / 10) and np.array_equal(
        channels["speed"].values, np.arange(50)
    )


def test_c3d(tmp_path):
    """A marker that was not seen is NaN, whether the writer says so by a residual or by zeros; events count from frame 1."""
    ezc3d = needs("ezc3d", "c3d")
    file, points = ezc3d.c3d(), np.random.default_rng(0).normal(0, 100, (4, 2, 50))
    points[:3, 0, 10:15] = np.nan
    for group, name, value in [
        ("POINT", "RATE", [100.0]),
        ("POINT", "LABELS", ["LASI", "RASI"]),
        ("POINT", "UNITS", ["mm"]),
        ("ANALOG", "RATE", [1000.0]),
        ("ANALOG", "LABELS", ["EMG"]),
    ]:
        file["parameters"][group][name]["value"] = value
    file["data"]["points"], file["data"]["analogs"] = points, np.arange(500.0).reshape(1, 1, 500)
    file.add_event([0, 0.2], context="Left", label="Foot Strike")
    file.write(str(tmp_path / "a.c3d"))
    content = bytearray((tmp_path / "a.c3d").read_bytes())
    start = (int.from_bytes(content[16:18], "little") - 1) * 512
    frames = np.frombuffer(bytes(content[start : start + 50 * 18 * 4]), "<f4").reshape(50, 18).copy()
    frames[20:25, 4:8], frames[30:32, 4:8] = 0, (5, 6, 7, -1)  # x, y, z and residual of the second marker
    content[start : start + frames.nbytes] = frames.tobytes()
    (tmp_path / "a.c3d").write_bytes(content)
    recording, channels = only(tmp_path / "a.c3d")
    assert (
        list(channels) == ["LASI.x", "LASI.y", "LASI.z", "RASI.x", "RASI.y", "RASI.z", "EMG"]
        and channels["RASI.z"].unit == "mm"
    )
    assert np.flatnonzero(np.isnan(channels["LASI.y"].values)).tolist() == [*range(10, 15)]
    assert np.flatnonzero(np.isnan(channels["RASI.y"].values)).tolist() == [*range(20, 25), 30, 31]
    assert np.allclose(channels["EMG"].times, np.arange(500) / 1000) and np.allclose(channels["EMG"].values, np.arange(500))
    assert events(recording) == [(0.2, 0.2, "Left Foot Strike")]


def test_c3d_cut_off(tmp_path):
    """Frames that the header names and the file has not are told."""
    needs("ezc3d", "c3d")
    points, _ = c3d_by_c3d(tmp_path / "a.c3d", scales=[1.0, 1.0], offsets=[0, 0], general_scale=1.0)
    recording, _ = only(tmp_path / "a.c3d")
    assert not recording.notes
    content = (tmp_path / "a.c3d").read_bytes()
    (tmp_path / "a.c3d").write_bytes(content[: len(content) - 1024])
    recording, channels = only(tmp_path / "a.c3d")
    there = len(channels["LASI.x"].values)
    assert there < 40 and any(f"after {there} of 40 frames" in note for note in recording.notes)


def test_c3d_of_whole_numbers(tmp_path):
    """A marker beyond 32,767 steps, which its writer wrapped round, is told; nobody can tell where it was."""
    ezc3d = needs("ezc3d", "c3d")
    file = ezc3d.c3d()
    for name, value in [("RATE", [100.0]), ("LABELS", ["LASI"]), ("UNITS", ["mm"]), ("SCALE", [-1.0])]:
        file["parameters"]["POINT"][name]["value"] = value
    file["data"]["points"] = np.zeros((4, 1, 40))
    file.write(str(tmp_path / "a.c3d"))
    content = bytearray((tmp_path / "a.c3d").read_bytes())
    start = (int.from_bytes(content[16:18], "little") - 1) * 512
    assert content[:start].count(struct.pack("<f", -1.0)) == 2  # in the header, and POINT:SCALE
    content[:start] = content[:start].replace(struct.pack("<f", -1.0), struct.pack("<f", 0.1))
    steps = np.zeros((40, 4), "<i2")
    steps[:, :3] = (np.arange(32750, 32790)[:, None] + 2**15) % 2**16 - 2**15
    content[start : start + steps.nbytes] = steps.tobytes()
    (tmp_path / "a.c3d").write_bytes(content)
    recording, channels = only(tmp_path / "a.c3d")
    assert np.allclose(channels["LASI.x"].values, 0.1 * steps[:, 0]) and any(
        "65,536 steps" in note for note in recording.notes
    )


def c3d_by_c3d(path, first=1, events=(), **analog):
    """Write markers and analog values by the package c3d, and return both: [frames, markers, (x, y, z, residual)] and [channels, values]."""
    c3d, draw = needs("c3d", "c3d"), np.random.default_rng(0)
    writer, points = c3d.Writer(point_rate=100, analog_rate=500), np.zeros((40, 3, 5), np.float32)
    writer.set_point_labels(["LASI", "C7", "T10"])
    writer.set_analog_labels(["EMG1", "EMG2"])
    for name, value in analog.items():
        getattr(writer, f"set_analog_{name}")(value)
    points[:, :, :3] = draw.normal(0, 100, (40, 3, 3))
    points[10:15, 1, 3] = -1
    values = draw.normal(size=(40, 2, 5)).astype(np.float32)
    writer.add_frames(list(zip(points, values)))
    writer.set_start_frame(first)
    if events:
        writer.header.encode_events(events)
    with open(path, "wb") as file:
        writer.write(file)
    return points[:, :, :4], values.transpose(1, 0, 2).reshape(2, -1)


def test_c3d_by_another_writer(tmp_path):
    """The package c3d writes its own way; events that it has in the header count from the first frame that was kept."""
    needs("ezc3d", "c3d")
    told = {"scales": [0.5, 2.0], "offsets": [0, 0], "general_scale": 1.0}
    points, values = c3d_by_c3d(tmp_path / "a.c3d", 101, [(0.1, "RFS"), (0.25, "LFO")], **told)
    recording, channels = only(tmp_path / "a.c3d")
    assert np.allclose(channels["LASI.y"].values, points[:, 0, 1]) and channels["LASI.y"].unit == "mm"
    assert np.flatnonzero(np.isnan(channels["C7.z"].values)).tolist() == [*range(10, 15)]
    assert np.allclose(channels["C7.z"].values[15:], points[15:, 1, 2])
    assert np.allclose(channels["EMG2"].values, values[1], atol=1e-5) and channels["EMG2"].times[5] == pytest.approx(0.01)
    assert events(recording) == [(0.1, 0.1, "RFS"), (0.25, 0.25, "LFO")] and channels["LASI.x"].times[0] == 0


def test_c3d_of_rotations(tmp_path):
    """The turns of segments are no markers; they are told."""
    ezc3d = needs("ezc3d", "c3d")
    file = ezc3d.c3d()
    for group, name, value in [("POINT", "RATE", [100.0]), ("POINT", "LABELS", ["LASI"]), ("POINT", "UNITS", ["mm"])]:
        file["parameters"][group][name]["value"] = value
    file["data"]["points"] = np.ones((4, 1, 40))
    file.add_parameter("ROTATION", "RATE", [100.0])
    file.add_parameter("ROTATION", "LABELS", ["pelvis"])
    file["data"]["rotations"] = np.tile(np.eye(4)[:, :, None, None], (1, 1, 1, 40))
    file.write(str(tmp_path / "a.c3d"))
    recording, channels = only(tmp_path / "a.c3d")
    assert list(channels) == ["LASI.x", "LASI.y", "LASI.z"] and any("ROTATION" in note for note in recording.notes)


def test_c3d_without_scales(tmp_path):
    """Analog channels without a scale, as the package c3d writes them unless it is told some, would end the process in ezc3d."""
    needs("ezc3d", "c3d")
    c3d_by_c3d(tmp_path / "a.c3d")
    with pytest.raises(ValueError, match="ANALOG:SCALE has 0 values for the 2 channels.*set_analog_scales"):
        read(tmp_path / "a.c3d")


def mat73(path, fields):
    """Write a MATLAB 7.3 file by its description: arrays, texts, structs as dictionaries, and cells as lists."""
    h5py = needs("h5py", "matlab")

    def put(group, name, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                put(group.require_group(name), key, inner)
            return
        if isinstance(value, str):
            kind, content = "char", np.array([[ord(one)] for one in value], np.uint16)
        elif isinstance(value, list) and not isinstance(value[0], list):
            cells = [put(file.require_group("#refs#"), f"{name}{at}", one) for at, one in enumerate(value)]
            kind, content = "cell", np.array([[one.ref] for one in cells], h5py.ref_dtype)
        else:
            kind, content = "double", np.atleast_2d(np.asarray(value, float)).T
        group[name] = content
        group[name].attrs["MATLAB_class"] = np.bytes_(kind)
        return group[name]

    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in fields.items():
            put(file, name, value)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")


@pytest.mark.parametrize("version", ["5", "7.3"])
def test_matlab(tmp_path, version):
    """Arrays have MATLAB's sides in either version, and whole numbers that were packed are doubles."""
    x = np.arange(600.0).reshape(200, 3)
    if version == "5":
        import scipy.io

        scipy.io.savemat(tmp_path / "a.mat", {"rec": {"emg": x, "fs": 100.0}, "who": "anna"})
    else:
        mat73(tmp_path / "a.mat", {"rec": {"emg": x, "fs": [[100.0]]}, "who": "anna"})
    recording, channels = only(tmp_path / "a.mat")
    assert list(channels) == ["rec.emg.0", "rec.emg.1", "rec.emg.2"] and np.array_equal(
        channels["rec.emg.1"].values, x[:, 1]
    )
    assert recording.timed and np.allclose(channels["rec.emg.1"].times, np.arange(200) / 100)


@pytest.mark.parametrize(("rate", "unit"), [(50.0, 1e3), (128.0, 1e3), (50.0, 1), (1000.0, 1e6), (0.01, 1 / 60), (250.0, 0)])
def test_matlab_rate_beside_times(tmp_path, rate, unit):
    """The rate tells the unit of the times beside it, as EEGLAB has ms; those that are 1 apart may count time points."""
    import scipy.io

    times = np.arange(500) / rate * unit + 100 if unit else np.arange(1.0, 501)
    scipy.io.savemat(tmp_path / "a.mat", {"EEG": {"data": np.ones((3, 500)), "srate": rate, "times": times, "xmin": 0.0}})
    recording, channels = only(tmp_path / "a.mat")
    assert list(channels) == ["EEG.data.0", "EEG.data.1", "EEG.data.2"] and recording.timed
    assert np.allclose(channels["EEG.data.2"].times, np.arange(500) / rate)


@pytest.mark.parametrize("name", ["t", "time_s", "time_ms"])
def test_matlab_rate_against_times(tmp_path, name):
    """A rate and times that contradict each other are refused, and so is a unit in a name that the rate does not bear out."""
    import scipy.io

    scipy.io.savemat(tmp_path / "a.mat", {"data": np.ones((3, 500)), "fs": 100.0, name: np.arange(500) / 128})
    with pytest.raises(ValueError, match=f"a.mat: fs says 100 Hz, and {name} has 128"):
        read(tmp_path / "a.mat")


NAMES_OF_TIMES = {"time": 1, "Time": 1, "timestamp": 1, "timestamps": 1, "ts": 1, "tvec": 1, "time_s": 1, "time_ms": 1e3, "t_ms": 1e3}
NAMES_OF_TIMES |= {"Time_ms": 1e3, "time_us": 1e6, "t_ns": 1e9, "time_min": 1 / 60, "timestamp_ms": 1e3, "time_vector": 1, "t_vec": 1}


@pytest.mark.parametrize(("name", "unit"), NAMES_OF_TIMES.items())
def test_names_of_times(tmp_path, name, unit):
    """Times have many names, which may say their unit; what is called t and does not rise may be a temperature."""
    import scipy.io

    times, draw = 7 + np.arange(300) * 0.02 * unit, np.random.default_rng(0)
    scipy.io.savemat(tmp_path / "a.mat", {"data": draw.normal(size=(2, 300)), name: times})
    recording, channels = only(tmp_path / "a.mat")
    assert recording.timed and list(channels) == ["data.0", "data.1"]
    assert np.allclose(channels["data.0"].times, np.arange(300) * 0.02)
    times[150:] -= 100 * unit
    scipy.io.savemat(tmp_path / "a.mat", {"data": draw.normal(size=(2, 300)), name: times})
    if name == "ts":
        recording, channels = only(tmp_path / "a.mat")
        assert not recording.timed and list(channels) == ["data.0", "data.1", "ts"]
    else:
        with pytest.raises(ValueError, match=f"a.mat: {name} does not rise.*time point 151"):
            read(tmp_path / "a.mat")


def test_matlab_times_since_1970(tmp_path):
    """Numbers since 1970 say their unit; an array of times as long as there are samples is that of the samples."""
    import scipy.io

    draw = np.random.default_rng(0)
    scipy.io.savemat(tmp_path / "a.mat", {"x": draw.normal(size=300), "timestamp": 1717156800123.0 + np.arange(300) * 20})
    assert np.allclose(only(tmp_path / "a.mat")[1]["x"].times, np.arange(300) * 0.02)
    samples = {"X": draw.normal(size=(7, 3, 50)), "y": [0, 1, 0, 1, 0, 1, 1], "time": np.arange(7.0), "t": np.arange(50) / 10}
    scipy.io.savemat(tmp_path / "b.mat", samples)
    found = read(tmp_path / "b.mat")
    assert len(found) == 7 and np.allclose(found[3].channels[0].times, np.arange(50) / 10)


def test_matlab_samples(tmp_path):
    """With a label for each sample, the side as long as they is that of the samples; texts that differ name the sensors."""
    import scipy.io

    x, names = np.random.default_rng(0).normal(size=(7, 3, 50)), np.array(["hip", "hand", "head"], dtype=object)
    scipy.io.savemat(tmp_path / "a.mat", {"X": x, "y": np.array([0, 1, 0, 1, 0, 1, 1]), "names": names})
    found = read(tmp_path / "a.mat")
    assert [one.label for one in found] == list("0101011") and not found[0].timed
    assert [one.name for one in found[4].channels] == list(names) and np.array_equal(found[4].channels[2].values, x[4, 2])


@pytest.mark.parametrize("version", ["5", "7.3"])
def test_fieldtrip(tmp_path, version):
    """Trials of unlike lengths are recordings, and trialinfo says their class."""
    import scipy.io

    trials, times = np.empty(3, dtype=object), np.empty(3, dtype=object)
    for at, length in enumerate([40, 50, 45]):
        trials[at], times[at] = np.random.default_rng(at).normal(size=(2, length)), np.arange(length) / 100 - 0.1
    data = {"trial": trials, "time": times, "trialinfo": [[7.0, 1], [9, 1], [7, 2]], "fsample": 100.0}
    if version == "5":
        scipy.io.savemat(tmp_path / "a.mat", {"data": data | {"label": np.array(["Cz", "Oz"], dtype=object)}})
    else:
        mat73(tmp_path / "a.mat", {"data": data | {"label": ["Cz", "Oz"], "trial": list(trials), "time": list(times)}})
    found = read(tmp_path / "a.mat")
    assert [one.label for one in found] == ["7", "9", "7"] and [one.name for one in found[0].channels] == ["Cz", "Oz"]
    assert np.array_equal(found[1].channels[1].values, trials[1][1]) and np.allclose(found[1].channels[0].times, times[1])


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_netcdf(tmp_path, engine):
    """Cells that nobody wrote, and values beyond valid_range, are missing; xarray gives them as numbers."""
    xarray = needs("xarray", "netcdf")
    needs(engine, "netcdf")
    u, v = np.arange(20, dtype="f4").reshape(10, 2), np.r_[np.arange(9.0), 1e5]
    u[3, 0] = 9.969209968386869e36
    data = xarray.Dataset(
        {
            "u": (("time", "sensor"), u, {"units": "m/s"}),
            "v": ("time", v, {"valid_range": [0.0, 100.0]}),
            "lag": ("time", np.arange(10.0), {"units": "s"}),
        },
        coords={"time": ("time", np.arange(10) * 250, {"units": "ms"}), "sensor": ["a", "b"]},
    )
    data.to_netcdf(
        tmp_path / "a.nc",
        engine=engine,
        encoding={"u": {"_FillValue": None}, "v": {"_FillValue": None}},
        **({"format": "NETCDF3_CLASSIC"} if engine == "scipy" else {}),
    )
    _, channels = only(tmp_path / "a.nc")
    assert list(channels) == ["u.a", "u.b", "v", "lag"] and channels["u.a"].unit == "m/s"
    assert np.flatnonzero(np.isnan(channels["u.a"].values)).tolist() == [3] and np.flatnonzero(
        np.isnan(channels["v"].values)
    ).tolist() == [9]
    assert np.array_equal(channels["lag"].values, np.arange(10)) and np.allclose(channels["v"].times, np.arange(10) / 4)
    dates = np.datetime64("2024-05-31") + np.arange(10) * np.timedelta64(250, "ms")
    data = data.drop_vars("lag").rename(time="obs").assign_coords(obs=dates)
    data.to_netcdf(tmp_path / "b.nc", engine=engine)
    _, channels = only(tmp_path / "b.nc")
    assert np.allclose(channels["v"].times, np.arange(10) / 4)


def test_netcdf_samples(tmp_path):
    xarray = needs("xarray", "netcdf")
    needs("h5netcdf", "netcdf")
    x = np.random.default_rng(0).normal(size=(4, 2, 30))
    xarray.Dataset(
        {"acc": (("trial", "axis", "time"), x), "label": ("trial", ["a", "b", "a", "b"])}, coords={"axis": ["x", "y"]}
    ).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    found = read(tmp_path / "a.nc")
    assert [one.label for one in found] == ["a", "b", "a", "b"] and [one.name for one in found[0].channels] == [
        "acc.x",
        "acc.y",
    ]
    assert np.array_equal(found[3].channels[1].values, x[3, 1]) and not found[0].timed


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_netcdf_of_other_writers(tmp_path, engine):
    """Names and labels may be arrays of letters, and the times a variable along a dimension that is called otherwise."""
    xarray = needs("xarray", "netcdf")
    needs(engine, "netcdf")
    x = np.random.default_rng(0).normal(size=(3, 20, 2))
    letters = {"label": ("trial", np.array([b"rest", b"walk", b"rest"])), "place": ("ch", np.array([b"Cz", b"Oz "]))}
    data = xarray.Dataset(
        {"eeg": (("trial", "obs", "ch"), x, {"units": "uV"}), "time": ("obs", np.arange(20) * 4, {"units": "ms"})} | letters
    )
    data.rename(place="ch").set_coords("ch").to_netcdf(tmp_path / "a.nc", engine=engine)
    found = read(tmp_path / "a.nc")
    assert [one.label for one in found] == ["rest", "walk", "rest"] and found[0].timed
    assert [one.name for one in found[0].channels] == ["eeg.Cz", "eeg.Oz"]
    assert np.allclose(found[1].channels[1].times, np.arange(20) * 0.004)
    assert np.array_equal(found[2].channels[1].values, x[2, :, 1])


def test_netcdf_names_of_times(tmp_path):
    """A variable of times may have a unit in its name; one called ts that does not rise is the temperature of a surface."""
    xarray = needs("xarray", "netcdf")
    needs("h5netcdf", "netcdf")
    variables = {"u": ("obs", np.ones(20)), "ts": ("obs", np.arange(20) % 7), "time_ms": ("obs", np.arange(20) * 250)}
    xarray.Dataset(variables).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    recording, channels = only(tmp_path / "a.nc")
    assert recording.timed and list(channels) == ["u", "ts"] and np.allclose(channels["u"].times, np.arange(20) / 4)


def test_netcdf_of_groups(tmp_path):
    xarray = needs("xarray", "netcdf")
    needs("h5netcdf", "netcdf")
    data = xarray.Dataset({"a": ("time", np.arange(5.0))})
    data.to_netcdf(tmp_path / "a.nc", group="science", engine="h5netcdf")
    with pytest.raises(ValueError, match="a.nc.*group"):
        read(tmp_path / "a.nc")
    names = np.array(["hip", "hand"], dtype=object)  # which are no dates
    xarray.Dataset({"a": ("sensor", [1.0, 2.0])}, {"sensor": names}).to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match="b.nc.*called time.*sensor"):
        read(tmp_path / "b.nc")


def cwa(path, starts, rate_code=0x4A, axes=3, places=None):
    """Write an AX3's or AX6's file by the format's description: a packet of values that count up from each start, in s of a minute.
    With places, the starts are whole seconds, at which the value at that place of each packet was measured."""
    packets, taken = [], 0
    for sequence, start in enumerate(starts):
        count = 480 // (2 * axes)
        whole, rest = int(start), start - int(start)
        fraction, rate = int(rest * 32768), 3200 / 2 ** (15 - (rate_code & 15))
        offset = -int(
            np.floor(fraction / 32768 * int(rate))
        )  # the first value is at the fraction, and programs that see none go back
        offset = offset if places is None else places[sequence]
        stamp = (20 << 26) | (1 << 22) | (1 << 17) | (whole // 60) << 6 | whole % 60
        values = np.repeat(np.arange(taken, taken + count, dtype="<i2")[:, None], axes, axis=1)
        taken += count
        packet = (
            struct.pack(
                "<HHHIIIHHBBBBhH",
                0x5841,
                508,
                0x8000 | fraction if places is None else 0,
                1,
                sequence,
                stamp,
                0x6000 if axes == 6 else 0,
                0,
                0,
                0,
                rate_code,
                axes << 4 | 2,
                offset,
                count,
            )
            + values.tobytes()
        )
        packet = packet.ljust(510, b"\0")
        packets.append(packet + struct.pack("<H", -int(np.frombuffer(packet, "<u2").sum()) & 0xFFFF))
    path.write_bytes(b"MD" + struct.pack("<H", 1020) + bytes(1020) + b"".join(packets))


def test_axivity(tmp_path):
    """A pause of half a second is a pause; actipy closes it, and openmovement spreads the packet before over it."""
    cwa(
        tmp_path / "a.cwa", [0.25, 1.05, 1.85, 3.15, 3.95]
    )  # packets of 80 values at 100 Hz; the third is followed by a pause of 0.5 s
    recording, channels = only(tmp_path / "a.cwa")
    expected = np.concatenate([start + np.arange(80) / 100 for start in [0.25, 1.05, 1.85, 3.15, 3.95]]) - 0.25
    assert np.abs(channels["acc.x"].times - expected).max() < 2e-3
    assert np.allclose(channels["acc.z"].values, np.arange(400) / 256) and channels["acc.z"].unit == "g"
    cwa(tmp_path / "b.cwa", [0.25, 0.65], axes=6)
    _, channels = only(tmp_path / "b.cwa")
    assert list(channels) == ["gyro.x", "gyro.y", "gyro.z", "acc.x", "acc.y", "acc.z"]
    assert np.allclose(channels["acc.x"].values, np.arange(80) / 2048) and np.allclose(
        channels["gyro.x"].values, np.arange(80) * 2000 / 32768
    )


def test_axivity_of_whole_seconds(tmp_path):
    """Values keep their order where packets seem to overlap by some ms, as stamps of whole seconds are at the nearest value."""
    rate, begins = 101.7, 80 * np.arange(60)
    seconds = np.ceil(begins / rate).astype(int)
    places = np.rint(seconds * rate).astype(int) - begins  # some are in the next packet
    assert places.max() > 80 and (np.diff(seconds) == 0).any()
    cwa(tmp_path / "a.cwa", seconds.tolist(), places=places.tolist())
    recording, channels = only(tmp_path / "a.cwa")
    assert np.array_equal(channels["acc.x"].values, np.arange(4800) / 256) and not recording.notes
    assert np.abs(channels["acc.x"].times - np.arange(4800) / rate).max() < 0.01 and np.diff(channels["acc.x"].times).min() > 0.009


def test_axivity_of_broken_packets(tmp_path):
    """A packet with a wrong sum is left out, and so is one at the end that is cut off; both are told."""
    cwa(tmp_path / "a.cwa", [0.25, 1.05, 1.85, 2.65])
    content = bytearray((tmp_path / "a.cwa").read_bytes()[:-100])
    content[1024 + 512 + 50] ^= 1
    (tmp_path / "a.cwa").write_bytes(content)
    recording, channels = only(tmp_path / "a.cwa")
    assert np.allclose(channels["acc.x"].values * 256, np.r_[0:80, 160:240]) and "2 of 4 packets" in recording.notes[0]
    assert channels["acc.x"].times[80] == pytest.approx(1.6, abs=1e-3)


def gt3x(path, *packets, info="Acceleration Scale: 256.0\n"):
    """Write an ActiGraph file of 30 Hz by the format's description: packets (kind, second, payload) with their sums."""
    log = b""
    for kind, second, payload in packets:
        packet = struct.pack("<BBLH", 0x1E, kind, 1600000000 + second, len(payload)) + payload
        log += packet + bytes([~int(np.bitwise_xor.reduce(np.frombuffer(packet, np.uint8))) & 255])
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("info.txt", "Serial Number: X\nSample Rate: 30\nStart Date: 637355968000000000\n" + info)
        file.writestr("log.bin", log)


def second_of(at, count=30):
    """Return a packet's values that count up, 30 a second, on all axes."""
    return np.repeat(np.arange(30 * at, 30 * at + count, dtype="<i2")[:, None], 3, axis=1).tobytes()


SLEEP_MODE, ASLEEP, AWAKE = struct.pack("<II", 0x0002_0000, 4), b"\x08", b"\x09"


@pytest.mark.parametrize("waking", [True, False])
def test_actigraph(tmp_path, waking):
    """While the device slept there are no values; pygt3x repeats the last one, or joins what lies around a sleep without an end."""
    needs("pygt3x", "actigraph")
    packets = [(0x15, 0, SLEEP_MODE), (26, 0, second_of(0)), (26, 1, second_of(1)), (3, 2, ASLEEP), (26, 6, second_of(2))]
    gt3x(tmp_path / "a.gt3x", *packets[:4], *[(3, 6, AWAKE)] * waking, *packets[4:])
    recording, channels = only(tmp_path / "a.gt3x")
    values, times = channels["acc.x"].values, channels["acc.x"].times
    known = ~np.isnan(values)
    assert np.allclose(values[known], np.arange(90) / 256) and np.allclose(times, np.arange(210) / 30, atol=1e-6)
    assert np.flatnonzero(~known).tolist() == list(range(60, 180)) and any("slept" in note for note in recording.notes)


def test_actigraph_packets(tmp_path):
    """A second with fewer values is no reason to refuse a file, one that comes again is told, and steps need a scale."""
    needs("pygt3x", "actigraph")
    packets = [(26, 0, second_of(0)), (26, 1, second_of(1, 10)), (26, 2, second_of(2)), (26, 0, second_of(3))]
    gt3x(tmp_path / "a.gt3x", *packets)
    recording, channels = only(tmp_path / "a.gt3x")
    counts = [*range(40), *range(60, 90)]
    assert np.allclose(channels["acc.y"].values, np.array(counts) / 256) and np.allclose(
        channels["acc.y"].times, np.array(counts) / 30, atol=1e-6
    )
    assert any("30 values" in note for note in recording.notes)
    gt3x(tmp_path / "b.gt3x", *packets, info="")
    with pytest.raises(ValueError, match="Acceleration Scale"):
        read(tmp_path / "b.gt3x")


def test_comtrade(tmp_path):
    """Secondary values are put on the primary side, skews count, and a missing value with blanks around it is missing."""
    needs("comtrade", "comtrade")
    (tmp_path / "a.cfg").write_text(
        "station,1,1999\n3,2A,1D\n1,VA,A,,V,0.5,0,0,-99999,99999,100,1,S\n2,IA,A,,A,1,0,200,-99999,99999,1,1,P\n1,TRIP,,,0\n50\n1\n"
        "1000,20\n01/01/2024,00:00:00.000000\n01/01/2024,00:00:00.005000\nASCII\n1\n"
    )
    values = np.round(100 * np.sin(np.arange(20) / 3)).astype(int)
    lines = [f"{at + 1},{at * 1000}, {99999 if at == 4 else values[at]},{at},{int(5 <= at < 9)}" for at in range(20)]
    (tmp_path / "a.dat").write_text("\r\n".join(lines) + "\r\n")
    recording, channels = only(tmp_path / "a.cfg")
    known = np.arange(20) != 4
    assert np.array_equal(np.isnan(channels["VA"].values), ~known) and np.allclose(
        channels["VA"].values[known], 50 * values[known]
    )
    assert np.allclose(channels["IA"].times, np.arange(20) / 1000 + 200e-6) and np.allclose(
        channels["VA"].times, np.arange(20) / 1000
    )
    assert events(recording) == [(0.005, 0.009, "TRIP")]


def test_miniseed(tmp_path):
    """A pause that is no whole number of steps stays as long as it was; obspy's merge moves what follows."""
    obspy = needs("obspy", "miniseed")
    begin = obspy.UTCDateTime("2024-05-31T12:00:00")

    def trace(channel, later, values):
        return obspy.Trace(
            np.asarray(values, np.int32),
            {"network": "XX", "station": "STA", "channel": channel, "sampling_rate": 10, "starttime": begin + later},
        )

    obspy.Stream([trace("HHZ", 0, range(20)), trace("HHZ", 3.04, range(20, 30)), trace("HHN", 0, range(40))]).write(
        str(tmp_path / "a.mseed"), format="MSEED"
    )
    _, channels = only(tmp_path / "a.mseed")
    assert np.allclose(channels["HHZ"].times, np.r_[np.arange(20) / 10, 3.04 + np.arange(10) / 10]) and np.array_equal(
        channels["HHZ"].values, np.arange(30)
    )
    assert len(channels["HHN"].times) == 40
    faster = obspy.Trace(np.arange(50, dtype=np.int32), {"sampling_rate": 100, "starttime": begin + 4})
    faster.id, log = "XX.STA..HHZ", obspy.Trace(np.frombuffer(b"clock locked", "S1"), {"starttime": begin})
    log.id = "XX.STA..LOG"
    obspy.Stream([trace("HHZ", 0, range(20)), trace("HHZ", 1.5, range(10)), faster, log]).write(
        str(tmp_path / "b.mseed"), format="MSEED"
    )
    recording, channels = only(tmp_path / "b.mseed")
    times = np.r_[np.arange(25) / 10, 4 + np.arange(50) / 100]  # five values come again, and the rate changes
    assert list(channels) == ["HHZ"] and np.allclose(channels["HHZ"].times, times)
    assert channels["HHZ"].values.tolist() == [*range(20), *range(5, 10), *range(50)]
    assert any("5 values" in note for note in recording.notes) and any("LOG" in note for note in recording.notes)


def test_miniseed_cut_off(tmp_path):
    """A file that ends within a record is told, also where obspy does not warn of it."""
    obspy = needs("obspy", "miniseed")
    trace = obspy.Trace(np.random.default_rng(0).integers(0, 9999, 5000).astype(np.int32), {"channel": "HHZ"})
    trace.write(str(tmp_path / "a.mseed"), format="MSEED", reclen=512)
    content = (tmp_path / "a.mseed").read_bytes()
    assert not only(tmp_path / "a.mseed")[0].notes
    for more in (100, 400):
        (tmp_path / "a.mseed").write_bytes(content[: len(content) // 1024 * 512 + more])
        recording, channels = only(tmp_path / "a.mseed")
        assert 100 < len(channels["HHZ"].values) < 4000 and any("within a record" in note for note in recording.notes)


def test_mcap(tmp_path):
    """Messages are at the times of their headers, not of the log; an image is left out, and texts are moments."""
    needs("mcap", "mcap")
    needs("mcap_ros2", "mcap")
    needs("mcap_protobuf", "mcap")
    from mcap.writer import Writer

    with open(tmp_path / "a.mcap", "wb") as stream:
        file = Writer(stream)
        file.start()
        schema = file.register_schema(name="any", encoding="jsonschema", data=b"{}")
        imu, said = (
            file.register_channel(topic=topic, message_encoding="json", schema_id=schema) for topic in ("/imu", "/say")
        )
        for at in range(10):
            sent = {
                "header": {"stamp": {"sec": 1717156800, "nanosec": at * 10_000_000}},
                "acc": {"x": at, "y": None if at == 3 else -at},
                "image": [0] * 99,
            }
            file.add_message(imu, log_time=at * 10**7 + at % 3 * 10**6, publish_time=0, data=json.dumps(sent).encode())
        file.add_message(said, log_time=1717156800_050_000_000, publish_time=1717156800_050_000_000, data=b'{"data": "go"}')
        file.finish()
    recording, channels = only(tmp_path / "a.mcap")
    assert list(channels) == ["/imu.acc.x", "/imu.acc.y"] and np.allclose(channels["/imu.acc.x"].times, np.arange(10) / 100)
    assert np.flatnonzero(np.isnan(channels["/imu.acc.y"].values)).tolist() == [3]
    assert events(recording) == [(0.05, 0.05, "go")] and any("/imu.image" in note for note in recording.notes)


def test_mcap_cut_off(tmp_path):
    needs("mcap", "mcap")
    needs("mcap_ros2", "mcap")
    needs("mcap_protobuf", "mcap")
    from mcap.writer import Writer

    with open(tmp_path / "a.mcap", "wb") as stream:
        file = Writer(stream)
        file.start()
        topic = file.register_channel(topic="/x", message_encoding="json", schema_id=0)
        for at in range(10):
            file.add_message(topic, log_time=at, publish_time=at, data=b'{"x": 1}')
        file.finish()
    content = (tmp_path / "a.mcap").read_bytes()
    for length in (8, len(content) // 2, len(content) - 1):
        (tmp_path / "a.mcap").write_bytes(content[:length])
        with pytest.raises(ValueError, match="a.mcap: .*ends early"):
            read(tmp_path / "a.mcap")


def test_mcap_of_numbers_as_stamps(tmp_path):
    """A time stamp may be a number since 1970, of whatever unit; any other number is a value, and texts beside numbers are states."""
    needs("mcap", "mcap")
    needs("mcap_ros2", "mcap")
    needs("mcap_protobuf", "mcap")
    from mcap.writer import Writer

    with open(tmp_path / "a.mcap", "wb") as stream:
        file = Writer(stream)
        file.start()
        schema = file.register_schema(name="any", encoding="jsonschema", data=b"{}")
        units = {"/s": 1, "/ms": 1e3, "/ns": 1e9}
        topics = {
            name: file.register_channel(topic=name, message_encoding="json", schema_id=schema) for name in [*units, "/count"]
        }
        for at in range(8):
            sent = {"x": at, "mode": "drive" if at < 4 else "park", "unit": "m"}
            for name, per_second in units.items():
                sent["timestamp"] = round((1717156800 + at / 4) * per_second, 3)
                file.add_message(topics[name], log_time=10**18, publish_time=10**18, data=json.dumps(sent).encode())
            time = 1717156800_000_000_000 + at * 250_000_000
            sent = json.dumps({"timestamp": at}).encode()
            file.add_message(topics["/count"], log_time=time, publish_time=time, data=sent)
        file.finish()
    _, channels = only(tmp_path / "a.mcap")
    assert list(channels) == [f"{unit}.{name}" for unit in units for name in ("x", "mode")] + ["/count.timestamp"]
    assert all(np.allclose(one.times, np.arange(8) / 4) for one in channels.values())
    stretches = package.recording.stretches(channels["/ms.mode"])
    assert [(one.start, one.label) for one in stretches] == [(0, "drive"), (1, "park")]


def test_mcap_of_ros(tmp_path):
    """Messages that the writer of ROS 2's encoding makes: numbers, truths, short lists and durations are channels, bytes are none."""
    needs("mcap", "mcap")
    needs("mcap_ros2", "mcap")
    needs("mcap_protobuf", "mcap")
    from mcap_ros2.writer import Writer

    parts = [
        "std_msgs/Header header\ngeometry_msgs/Vector3 rate\nfloat32[2] range\nbool ok\nstring mode\nuint8[] raw\n"
        "builtin_interfaces/Duration took",
        "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id",
        "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z",
        "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec",
        "MSG: builtin_interfaces/Duration\nint32 sec\nuint32 nanosec",
    ]
    with open(tmp_path / "a.mcap", "wb") as stream:
        file = Writer(stream)
        imu = file.register_msgdef("robot/Imu", f"\n{'=' * 80}\n".join(parts))
        for at in range(20):
            stamp = {"sec": 1717156800 + at // 10, "nanosec": at % 10 * 10**8}
            sent = {
                "header": {"stamp": stamp, "frame_id": "imu"},
                "rate": {"x": at / 4, "y": 0.0, "z": 0.0},
                "range": [1.0, at],
                "ok": at > 9,
                "mode": "drive" if at < 10 else "park",
                "raw": b"123",
                "took": {"sec": 1, "nanosec": 5_000_000},
            }
            file.write_message("/imu", imu, sent, 10**18 + at * 10**8 + 10**7, 10**18)
        file.finish()
    recording, channels = only(tmp_path / "a.mcap")
    names = [
        "/imu.rate.x",
        "/imu.rate.y",
        "/imu.rate.z",
        "/imu.range.0",
        "/imu.range.1",
        "/imu.ok",
        "/imu.took",
        "/imu.mode",
    ]
    assert list(channels) == names and any("/imu.raw" in note for note in recording.notes)
    assert np.allclose(channels["/imu.rate.x"].times, np.arange(20) / 10)
    assert np.array_equal(channels["/imu.rate.x"].values, np.arange(20) / 4) and channels["/imu.ok"].values.sum() == 10
    assert np.array_equal(channels["/imu.range.1"].values, np.arange(20)) and (channels["/imu.took"].values == 1.005).all()


def test_mcap_of_protobuf(tmp_path):
    """What a message of Protobuf does not have is missing, and no 0; a Struct is a channel for each key."""
    needs("mcap", "mcap")
    needs("mcap_ros2", "mcap")
    needs("mcap_protobuf", "mcap")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2
    from mcap_protobuf.writer import Writer

    schema = descriptor_pb2.FileDescriptorProto(name="robot.proto", package="robot", syntax="proto3")
    kinds = {
        "Grip": [("force", 1, None)],
        "Arm": [("angle", 1, None), ("grip", 11, ".robot.Grip")],
    }  # 1: double, 11: message
    for name, fields in kinds.items():
        made = schema.message_type.add(name=name)
        for at, (field, kind, of) in enumerate(fields):
            made.field.add(name=field, number=at + 1, type=kind, label=1, type_name=of)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(schema.SerializeToString())
    arm = message_factory.GetMessageClass(pool.FindMessageTypeByName("robot.Arm"))
    with open(tmp_path / "a.mcap", "wb") as stream:
        file = Writer(stream)
        for at in range(6):
            sent, free, time = arm(angle=at), struct_pb2.Struct(), 1717156800_000_000_000 + at * 250_000_000
            free["x"] = -float(at)
            if at > 3:
                sent.grip.force = 0.0
            file.write_message(topic="/arm", message=sent, log_time=time + 10**6, publish_time=time)
            file.write_message(topic="/free", message=free, log_time=time + 10**6, publish_time=time)
        file.finish()
    _, channels = only(tmp_path / "a.mcap")
    assert list(channels) == ["/arm.angle", "/arm.grip.force", "/free.x"]
    angle, force, x = channels.values()
    assert np.allclose(angle.times, np.arange(6) / 4) and angle.values.tolist() == [*range(6)] == (-x.values).tolist()
    assert np.array_equal(force.values, [np.nan] * 4 + [0, 0], equal_nan=True)
