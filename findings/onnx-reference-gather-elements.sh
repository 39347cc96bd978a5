#!/usr/bin/env bash
# onnx 1.23.2, the reference evaluator: GatherElements of a valid model raises an error when the data have more than some 60
# entries along the axis, "cannot reshape array"; with 30 it is right, and ONNX Runtime is right with both. The checker passes the model.
# Packages: onnx==1.23.2 onnxruntime==1.32.0 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy==2.3.5
venv/bin/python - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

print("onnx", onnx.__version__, "ONNX Runtime", onnxruntime.__version__)
seen = {}
for width in (8, 30, 80, 500):
    graph = helper.make_graph(
        [helper.make_node("GatherElements", ["x", "i"], ["y"], axis=1)], "gather",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, width]),
         helper.make_tensor_value_info("i", TensorProto.INT64, [8, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 5])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model, full_check=True)
    rng = np.random.default_rng(0)
    feed = {"x": rng.normal(size=(8, width)).astype(np.float32), "i": rng.integers(0, width, (8, 5))}
    want = np.take_along_axis(feed["x"], feed["i"], 1)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.array_equal(session.run(None, feed)[0], want)
    try:
        right = np.array_equal(ReferenceEvaluator(model).run(None, feed)[0], want)
        seen[width] = "right" if right else "other values"
    except Exception as error:  # its own class of errors
        seen[width] = f"{type(error).__name__}: {str(error)[:60]}"
    print(f"{width:4} entries along the axis: ONNX Runtime right, reference evaluator: {seen[width]}")
assert seen[8] == seen[30] == "right", "the behaviour has changed"
assert "right" not in (seen[80], seen[500]), "the behaviour has changed"
PYTHON
