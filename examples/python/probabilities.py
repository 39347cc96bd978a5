"""Probabilities of a checkpoint in Python, without pip install ccp: by ONNX Runtime, and by the server.

    ccp export --checkpoint examples/digits --out digits.onnx
    ccp serve --checkpoint examples/digits &
    python3 examples/python/probabilities.py digits.onnx http://127.0.0.1:8080/v2/models/digits examples/digits.npy
"""
import json
import sys
import urllib.request

import numpy as np
import onnxruntime

model, url, path = sys.argv[1:]
session = onnxruntime.InferenceSession(model)
signals = np.load(path).astype(np.float32).reshape(-1, *session.get_inputs()[0].shape[1:])  # [samples, nodes, channels]
(by_onnx,) = session.run(["probabilities"], {"signals": signals})  # [samples, classes]

given = {"name": "signals", "datatype": "FP32", "shape": signals.shape, "data": signals.ravel().tolist()}
request = json.dumps({"inputs": [given], "outputs": [{"name": "probabilities"}]}).encode()
(output,) = json.load(urllib.request.urlopen(url + "/infer", request))["outputs"]
by_server = np.reshape(output["data"], output["shape"])

names = json.loads(session.get_modelmeta().custom_metadata_map["class_names"])
print([names[k] for k in by_onnx.argmax(axis=1)], "the greatest difference is", abs(by_onnx - by_server).max())
