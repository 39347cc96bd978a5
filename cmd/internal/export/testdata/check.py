"""Compares exported networks with what the classifier said; for TestPython.

    python3 check.py FOLDER...

Each FOLDER has network.onnx, signals.npy [samples, nodes, channels] and probabilities.npy [samples, classes].
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

for folder in map(pathlib.Path, sys.argv[1:]):
    signals, want = np.load(folder / "signals.npy"), np.load(folder / "probabilities.npy")
    assert not np.allclose(want[0], want[1]), "the signal does not matter"
    onnx.checker.check_model(str(folder / "network.onnx"), full_check=True)
    session = onnxruntime.InferenceSession(str(folder / "network.onnx"), providers=["CPUExecutionProvider"])
    assert session.get_modelmeta().custom_metadata_map["class_names"], "no class names"

    def run(batch):
        probabilities, logits = session.run(["probabilities", "logits"], {"signals": batch})
        assert (np.argsort(probabilities) == np.argsort(logits)).all()  # at any temperature
        return probabilities

    got = {
        "onnx": run(signals),
        "onnx, one by one": np.concatenate([run(signals[i : i + 1]) for i in range(len(signals))]),
    }
    assert run(signals[:0]).shape == (0, want.shape[1])
    for name, probabilities in got.items():
        np.testing.assert_allclose(probabilities, want, rtol=0, atol=1e-5, err_msg=f"{folder.name}, {name}")
        print(f"{folder.name}, {name}: at most {np.abs(probabilities - want).max():.1e} off")
