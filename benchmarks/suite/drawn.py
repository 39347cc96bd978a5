"""Sets that are drawn, not recorded: kinds of data that users bring and no archive has. make.py writes them.

Each function draws one set, from a seed of its own unless another is given, so a set is the same on every machine with the same
numpy. They return the arrays of an .npz file: `series` [samples, sensors, timepoints] with NaN after a sample's end, or `features`
[samples, nodes].
"""
import numpy as np

TRAIN, TEST = 0, 2  # in split

# The 19 electrodes of the international 10-20 system: degrees clockwise from the nose, and degrees down from the top of the head.
ELECTRODES = {"Fp1": (-18, 72), "Fp2": (18, 72), "F7": (-54, 72), "F3": (-39, 46), "Fz": (0, 36), "F4": (39, 46), "F8": (54, 72),
              "T3": (-90, 72), "C3": (-90, 36), "Cz": (0, 0), "C4": (90, 36), "T4": (90, 72), "T5": (-126, 72), "P3": (-141, 46),
              "Pz": (180, 36), "P4": (141, 46), "T6": (126, 72), "O1": (-162, 72), "O2": (162, 72)}


def coloured(draw, shape, slope=0.0, low=0.0, high=0.5):
    """Noise of deviation 1 along the last axis: power falls as frequency^-slope, and is zero outside low to high cycles a time point."""
    timepoints = shape[-1]
    frequency = np.fft.rfftfreq(timepoints)
    gain = np.where((frequency >= low) & (frequency <= high), np.maximum(frequency, 1 / timepoints) ** (-slope / 2), 0)
    gain[0] = 0
    noise = np.fft.irfft(np.fft.rfft(draw.normal(size=shape)) * gain, timepoints)
    return noise / noise.std(axis=-1, keepdims=True)


def near(positions, width):
    """exp(-distance² / 2 width²) of each pair of positions [n, d]."""
    return np.exp(-((positions[:, None] - positions) ** 2).sum(2) / (2 * width ** 2))


def parts(train, test):
    """`split` of train samples and then test samples."""
    return np.repeat(np.array([TRAIN, TEST], np.uint8), [train, test])


def vibration(seed=101):
    """4 accelerometers at 1 kHz, in white noise and drift. The class is the band of a weaker noise: 100 to 200 or 300 to 400 Hz."""
    draw = np.random.default_rng(seed)
    labels = draw.permutation(np.arange(240) % 2)
    shape = 240, 4, 1017
    bands = [coloured(draw, shape, low=low, high=low + 0.1) for low in (0.1, 0.3)]
    gain = draw.uniform(0.2, 0.5, size=(240, 4, 1))
    loud = draw.lognormal(0, 0.4, size=(240, 1, 1))  # of a recording
    series = loud * (draw.normal(size=shape) + coloured(draw, shape, slope=2) + gain * np.where(labels[:, None, None] == 0, *bands))
    return dict(series=series, rate=np.array(1000.0), labels=labels, class_names=np.array(["100-200 Hz", "300-400 Hz"]),
                split=parts(120, 120), sensor_names=np.array(["x1", "y1", "x2", "y2"]))


def machines(seed=102):
    """12 sensors of 6 machines, in their units, at 50 Hz for 4 to 60 seconds. Tests on two machines; groups are machines.

    A worn bearing adds noise of 8 to 12 Hz to two of four accelerometers. Poor cooling lets oil and winding warm by some degrees
    a minute. Machines differ in levels, gains and the frequency at which they resonate.
    """
    draw = np.random.default_rng(seed)
    names = ["acc1 m/s2", "acc2 m/s2", "acc3 m/s2", "acc4 m/s2", "speed rpm", "current1 A", "current2 A", "pressure bar", "flow l/min",
             "oil C", "winding C", "ambient C"]
    level = np.array([0, 0, 0, 9.81, 1480, 12, 12, 4.2, 85, 55, 78, 22.0])
    spread = np.array([0.4, 0.4, 0.3, 0.3, 6, 0.5, 0.5, 0.05, 1.5, 0.05, 0.1, 0.03])  # within a recording
    between = np.array([0.02, 0.02, 0.02, 0.05, 8, 1, 1, 0.2, 4, 4, 6, 3])  # of machines; half as much of a machine's recordings
    groups = np.repeat(np.arange(6), 20)
    labels = np.concatenate([draw.permutation(np.arange(20) % 3) for _ in range(6)])
    own = between * draw.normal(size=(6, 12))
    gain, resonance = draw.lognormal(0, 0.25, size=(6, 12)), draw.uniform(0.08, 0.3, size=6)
    series = np.full((120, 12, 3000), np.nan)
    for i, (machine, label) in enumerate(zip(groups, labels)):
        rows = int(np.exp(draw.uniform(np.log(200), np.log(3000))))
        values = coloured(draw, (12, rows), slope=0.7)
        values[:4] += 0.8 * coloured(draw, (4, rows), low=resonance[machine] - 0.02, high=resonance[machine] + 0.02)
        worn, hot = draw.uniform(0.8, 1.6), draw.uniform(2, 6)
        if label == 1:
            values[:2] += worn * coloured(draw, (2, rows), low=0.16, high=0.24)
        values *= (gain[machine] * spread)[:, None]
        minutes = np.arange(rows) / 50 / 60
        values[9:11] += (draw.normal(0, 0.5) + (hot if label == 2 else 0)) * minutes * np.array([[1.0], [1.6]])
        series[i, :, :rows] = values + (level + own[machine] + between / 2 * draw.normal(size=12))[:, None]
    return dict(series=series, rate=np.array(50.0), labels=labels, class_names=np.array(["healthy", "worn bearing", "poor cooling"]),
                groups=groups, split=parts(80, 40), sensor_names=np.array(names))


def eeg_bursts(seed=103):
    """19 electrodes at 250 Hz for 4 seconds, in microvolts. Bursts of 10 Hz over the left, the right or no motor area tell the class.

    Noise falls with frequency and is alike in electrodes that are near. Each person has a rhythm of 9 to 11 Hz at the back of the head.
    Tests on 3 of 10 people; groups are people.
    """
    draw = np.random.default_rng(seed)
    around, down = np.radians(np.array(list(ELECTRODES.values()))).T
    positions = np.stack([np.sin(down) * np.sin(around), np.sin(down) * np.cos(around), np.cos(down)], 1)
    names = list(ELECTRODES)
    alike = near(positions, 0.5)
    groups = np.repeat(np.arange(10), 30)
    labels = np.concatenate([draw.permutation(np.arange(30) % 3) for _ in range(10)])
    mix = np.linalg.cholesky(0.8 * alike + 0.2 * np.eye(19))
    timepoints = np.arange(1000) / 250
    own, loud = draw.uniform(9, 11, size=10), draw.lognormal(0, 0.3, size=10)
    series = np.empty((300, 19, 1000))
    for i, (person, label) in enumerate(zip(groups, labels)):
        values = mix @ coloured(draw, (19, 1000), slope=1)
        back = (alike[names.index("O1")] + alike[names.index("O2")])[:, None]
        values += 0.3 * draw.uniform() * back * np.sin(2 * np.pi * (own[person] * timepoints + draw.uniform()))
        for _ in range(3):
            start, phase, strength = draw.uniform(0.2, 3.4), draw.uniform(), draw.uniform(1.1, 2.0)
            burst = np.exp(-((timepoints - start - 0.2) / 0.15) ** 2) * np.sin(2 * np.pi * (10 * timepoints + phase))
            if label:
                values += strength * alike[names.index(("C3", "C4")[label - 1])][:, None] * burst
        series[i] = 12 * loud[person] * values
    return dict(series=series, rate=np.array(250.0), labels=labels, class_names=np.array(["none", "left", "right"]), groups=groups,
                split=parts(210, 90), coordinates=positions, sensor_names=np.array(names))


def bearings(seed=104):
    """6 sensors in their units at 2 kHz for 0.4 seconds; classes differ by far less than the sensors' levels do.

    A damaged race knocks: the inner 87 times a second, ringing at 700 Hz, and the outer 61 times, at 450 Hz. Oil is a fifth of a degree
    warmer if either is damaged.
    """
    draw = np.random.default_rng(seed)
    names = ["acceleration1 g", "acceleration2 g", "load kN", "speed rpm", "current A", "oil C"]
    level, spread = np.array([0, 1, 12.5, 2985, 6.3, 71.0]), np.array([0.01, 0.01, 0.02, 0.6, 0.03, 0.02])  # gravity is 1 g
    labels = draw.permutation(np.arange(360) % 3)
    timepoints = np.arange(800) / 2000
    series = np.empty((360, 6, 800))
    for i, label in enumerate(labels):
        values = draw.normal(size=(6, 800)) + coloured(draw, (6, 800), slope=1)
        if label:
            knocks, ring = ((87, 700), (61, 450))[label - 1]
            since = (timepoints + draw.uniform()) % (1 / (knocks * draw.normal(1, 0.01)))
            knock = np.exp(-since / 0.003) * np.sin(2 * np.pi * ring * since)
            values[:2] += draw.uniform(1.2, 3) * draw.uniform(0.6, 1, size=(2, 1)) * knock
        values = level[:, None] * (1 + np.array([0, 0, 2e-3, 1e-3, 2e-2, 0])[:, None] * draw.normal(size=(6, 1))) + spread[:, None] * values
        values[5] += draw.normal(0, 0.15) + (0.2 if label else 0)
        series[i] = values
    return dict(series=series, rate=np.array(2000.0), labels=labels, class_names=np.array(["sound", "inner race", "outer race"]),
                split=parts(180, 180), sensor_names=np.array(names))


def stations(seed=105):
    """A table: 60 stations' values, by 450 days. A day is a smooth field and a weaker pattern of its class;
    2% of the values are missing."""
    draw = np.random.default_rng(seed)
    positions = draw.uniform(0, 100, size=(60, 2))  # km
    labels = draw.permutation(np.arange(450) % 3)
    field = np.linalg.cholesky(near(positions, 25) + 1e-6 * np.eye(60))
    pattern = np.linalg.cholesky(near(positions, 12) + 1e-6 * np.eye(60)) @ draw.normal(size=(60, 3))
    features = 15 + 4 * (draw.normal(size=(450, 60)) @ field.T + 0.3 * pattern.T[labels] + 0.4 * draw.normal(size=(450, 60)))
    features[draw.random(features.shape) < 0.02] = np.nan
    return dict(features=features, labels=labels, class_names=np.array(["pattern1", "pattern2", "pattern3"]), split=parts(300, 150),
                coordinates=positions, node_names=np.array([f"station{i + 1}" for i in range(60)]))


def tiny(seed=106):
    """24 training samples of 3 sensors and 80 time points. A bump comes in the second sensor before or after
    the one in the first, or not."""
    draw = np.random.default_rng(seed)
    labels = np.concatenate([draw.permutation(np.arange(n) % 3) for n in (24, 150)])
    timepoints = np.arange(80)
    series = 0.22 * coloured(draw, (174, 3, 80), slope=1)
    for i, label in enumerate(labels):
        first = draw.uniform(25, 55)
        height = draw.uniform(0.7, 1.3, size=2)
        series[i, 0] += height[0] * np.exp(-((timepoints - first) / 5) ** 2 / 2)
        if label:
            series[i, 1] += height[1] * np.exp(-((timepoints - first - (-12, 12)[label - 1]) / 5) ** 2 / 2)
    return dict(series=series, labels=labels, class_names=np.array(["one", "before", "after"]), split=parts(24, 150),
                sensor_names=np.array(["first", "second", "noise"]))


SETS = {"Vibration": vibration, "Machines": machines, "EEGBursts": eeg_bursts, "Bearings": bearings, "Stations": stations, "Tiny": tiny}
