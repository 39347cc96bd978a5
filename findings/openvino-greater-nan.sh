#!/usr/bin/env bash
# OpenVINO 2026.4.1, CPU: Greater(x, 0) is true where x is NaN, though every comparison with NaN is false by IEEE 754 and in ONNX Runtime
# and onnx's reference evaluator. A model that marks or drops missing values by a comparison takes another branch, without a warning.
# Packages: openvino==2026.4.1 onnx==1.22.0 onnxruntime==1.31.1 numpy==2.2.6. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet openvino==2026.4.1 onnx==1.22.0 onnxruntime==1.31.1 numpy==2.2.6
venv/bin/python - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

graph = helper.make_graph(
    [helper.make_node("Greater", ["x", "zero"], ["y"])], "greater",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
    [helper.make_tensor_value_info("y", TensorProto.BOOL, [4])],
    [helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
onnx.checker.check_model(model)
onnx.save(model, "greater.onnx")

x = np.array([-1, 1, np.nan, 0], np.float32)
reference = ReferenceEvaluator(model).run(None, {"x": x})[0].tolist()
session = onnxruntime.InferenceSession("greater.onnx", providers=["CPUExecutionProvider"])
runtime = session.run(None, {"x": x})[0].tolist()
compiled = openvino.compile_model("greater.onnx", "CPU")
vino = [bool(v) for v in compiled([x])[0]]
print("openvino", openvino.__version__)
print("x > 0 of", x.tolist())
print("numpy              ", (x > 0).tolist())
print("onnx's reference   ", reference)
print("ONNX Runtime       ", runtime)
print("OpenVINO           ", vino)
assert reference == runtime == (x > 0).tolist() == [False, True, False, False]
assert vino == [False, True, True, False], "the behaviour has changed"
PYTHON
