"""What arrays and dimensions are called that are no measurements, in formats that have no word for these themselves."""

RATES = ("fs", "fsample", "rate", "srate", "sfreq", "samplingrate", "sample_rate", "sampling_rate", "samplerate")
RATES += ("samplingfrequency", "sampling_frequency", "samplefrequency", "sample_frequency", "sampling_freq", "samp_rate")
LABELS = ("labels", "label", "y", "classes", "class")
SAMPLES = ("sample", "samples", "case", "trial", "epoch", "recording")
