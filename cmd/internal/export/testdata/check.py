"""Compares exported classifiers with what the classifier said, in several runtimes; for TestPython.

    python3 check.py FOLDER...

Each FOLDER has model.onnx, inputs.npy [samples, nodes or timepoints, channels or columns] and probabilities.npy [samples, classes].
Those of one model are side by side. Where web.mjs has been there, what onnxruntime-web said is compared, too.
"""
import functools
import json
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import openvino

OUTPUTS = ["probabilities", "logits"]


def onnx_runtime(model):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    assert session.get_modelmeta().custom_metadata_map["class_names"], "no class names"
    return lambda inputs: session.run(OUTPUTS, inputs)


def onnx_reference(model):
    evaluator = onnx.reference.ReferenceEvaluator(model)
    return lambda inputs: evaluator.run(OUTPUTS, inputs)


def open_vino(model):
    compiled = core.compile_model(core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def run(inputs):
        results = compiled(inputs)
        return [np.array(results[name]) for name in OUTPUTS]

    return run


core = openvino.Core()
RUNTIMES = {"ONNX Runtime": onnx_runtime, "ONNX's reference": onnx_reference, "OpenVINO": open_vino}


@functools.lru_cache(1)
def opened(model):
    onnx.checker.check_model(model, full_check=True)
    return onnx.load_model_from_string(model).graph.input[0].name, {how: open_(model) for how, open_ in RUNTIMES.items()}


def check(folder):
    inputs, want = np.load(folder / "inputs.npy"), np.load(folder / "probabilities.npy")
    assert not np.allclose(want[0], want[1]), "the signal does not matter"
    name, runtimes = opened((folder / "model.onnx").read_bytes())
    damaged = inputs.copy()
    damaged[0, -1, 0] = np.nan
    got = {}
    for how, run in runtimes.items():

        def ask(batch):
            probabilities, logits = run({name: batch})
            assert (np.argsort(probabilities) == np.argsort(logits)).all()  # at any temperature
            assert probabilities.shape == (len(batch), want.shape[1]) and (0 <= probabilities).all() and (probabilities <= 1).all()
            return probabilities

        got[how] = ask(inputs)
        ask(inputs[:0])
        for output in run({name: damaged}):
            assert np.isnan(output[0]).all() and not np.isnan(output[1:]).any(), how
        if how != "OpenVINO":  # which compiles for each shape anew
            got[how + ", seven"] = np.concatenate([ask(inputs[:7]), ask(inputs[7:])])
            got[how + ", one by one"] = np.concatenate([ask(inputs[i : i + 1]) for i in range(len(inputs))])
    if (folder / "web.f32").exists():
        got["onnxruntime-web"] = np.fromfile(folder / "web.f32", np.float32).reshape(want.shape)
        assert json.loads((folder / "web.empty").read_text()) == [0, want.shape[1]]
    for how, probabilities in got.items():
        bound = 1e-5
        if folder.name == "bfloat16":  # the export computes in float32
            bound = 0.02
        elif how == "OpenVINO" and name == "series" and inputs.shape[1] < 9:
            # It has no float64: kernels find the rounding of what becomes a line, and of two time points nearly all is rounding.
            bound = 5e-3 if inputs.shape[1] > 2 else 0.25
        np.testing.assert_allclose(probabilities, want, rtol=0, atol=bound, err_msg=f"{folder.name}, {how}")
    off = {how: f"{np.abs(probabilities - want).max():.1e}" for how, probabilities in got.items()}
    print(f"{folder.name}: at most off by {off}", flush=True)


warnings.simplefilter("ignore", RuntimeWarning)  # of the reference: infinity less infinity, which nothing reads
for path in sys.argv[1:]:
    check(pathlib.Path(path))
