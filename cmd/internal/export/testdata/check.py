"""Compares exported classifiers with what the classifier said; for TestPython.

    python3 check.py FOLDER...

Each FOLDER has model.onnx, inputs.npy [samples, nodes or timepoints, channels or columns] and probabilities.npy [samples, classes].
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

for folder in map(pathlib.Path, sys.argv[1:]):
    inputs, want = np.load(folder / "inputs.npy"), np.load(folder / "probabilities.npy")
    assert not np.allclose(want[0], want[1]), "the signal does not matter"
    onnx.checker.check_model(str(folder / "model.onnx"), full_check=True)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    assert session.get_modelmeta().custom_metadata_map["class_names"], "no class names"
    (name,) = (i.name for i in session.get_inputs())

    def run(batch):
        probabilities, logits = session.run(["probabilities", "logits"], {name: batch})
        assert (np.argsort(probabilities) == np.argsort(logits)).all()  # at any temperature
        return probabilities

    got = {
        "onnx": run(inputs),
        "onnx, seven": np.concatenate([run(inputs[:7]), run(inputs[7:])]),
        "onnx, one by one": np.concatenate([run(inputs[i : i + 1]) for i in range(len(inputs))]),
    }
    inputs[0, -1, 0] = np.nan
    for output in session.run(["probabilities", "logits"], {name: inputs}):
        assert np.isnan(output[0]).all() and not np.isnan(output[1:]).any()
    if name == "signals":
        assert run(inputs[:0]).shape == (0, want.shape[1])
    for how, probabilities in got.items():
        np.testing.assert_allclose(probabilities, want, rtol=0, atol=1e-5, err_msg=f"{folder.name}, {how}")
        print(f"{folder.name}, {how}: at most {np.abs(probabilities - want).max():.1e} off")
