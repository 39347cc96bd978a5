"""Serves an exported network by ONNX Runtime, as a competitor of `ccp serve`: the same protocol and outputs, in JSON and binary.

    VENV/bin/pip install -r benchmarks/serving/requirements.txt
    VENV/bin/python benchmarks/serving/ort_server.py digits digits.onnx 8081

Requests that wait are computed together, up to --max-batch signals, while the event loop reads the next ones.
"""
import argparse
import asyncio
import contextlib

import numpy as np
import onnxruntime
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("model")
p.add_argument("file")
p.add_argument("port", type=int)
p.add_argument("--max-batch", type=int, default=64, help="most signals of several requests; 1 computes each in the event loop")
options = p.parse_args()
settings = onnxruntime.SessionOptions()
settings.add_session_config_entry("session.intra_op.allow_spinning", "0")  # its threads would take the cores from the server
session = onnxruntime.InferenceSession(options.file, settings)
given, queue = session.get_inputs()[0], asyncio.Queue()
labels = np.array(orjson.loads(session.get_modelmeta().custom_metadata_map["class_names"]), dtype=object)


def run(signals):
    return session.run(["probabilities"], {given.name: signals})[0]


async def batches():
    loop = asyncio.get_running_loop()
    while True:
        jobs = [await queue.get()]
        while not queue.empty() and sum(len(x) for x, _ in jobs) < options.max_batch:
            jobs.append(queue.get_nowait())
        answers = await loop.run_in_executor(None, run, np.concatenate([x for x, _ in jobs]))
        for signals, answer in jobs:
            answer.set_result(answers[:len(signals)])
            answers = answers[len(signals):]


async def infer(request):
    body, header = await request.body(), request.headers.get("inference-header-content-length")
    tensor = orjson.loads(memoryview(body)[:int(header or len(body))])["inputs"][0]
    signals = np.frombuffer(body, np.float32, offset=int(header)) if header else np.array(tensor["data"], np.float32)
    signals = signals.reshape([-1] + given.shape[1:])
    if options.max_batch == 1:
        probabilities = run(signals)
    else:
        answer = asyncio.get_running_loop().create_future()
        queue.put_nowait((signals, answer))
        probabilities = await answer
    classes = probabilities.argmax(axis=1)
    outputs = [("probabilities", "FP32", probabilities), ("class", "INT64", classes), ("label", "BYTES", labels[classes])]
    document, raw = {"model_name": options.model, "model_version": "1", "outputs": []}, b""
    for name, datatype, value in outputs:
        output, data = {"name": name, "shape": value.shape, "datatype": datatype}, value.ravel()
        if header and datatype != "BYTES":
            output["parameters"], raw = {"binary_data_size": data.nbytes}, raw + data.tobytes()
        else:
            output["data"] = data.tolist() if datatype == "BYTES" else data
        document["outputs"].append(output)
    text = orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text + raw, headers={"Inference-Header-Content-Length": str(len(text))} if header else None,
                    media_type="application/octet-stream" if header else "application/json")


async def metadata(request):
    return Response(orjson.dumps({"inputs": [{"name": given.name, "datatype": "FP32", "shape": [-1] + given.shape[1:]}]}))


@contextlib.asynccontextmanager
async def lifespan(_):
    worker = asyncio.create_task(batches())
    yield
    worker.cancel()


url = f"/v2/models/{options.model}"
app = Starlette(routes=[Route(url, metadata), Route(url + "/infer", infer, methods=["POST"])], lifespan=lifespan)
uvicorn.run(app, port=options.port, loop="uvloop", http="httptools", log_level="warning")
