"""Asks a running `ccp serve` with Triton's own client: health, metadata and classes, in JSON and in binary.

    pip install 'tritonclient[http]' ml_dtypes
    ccp serve --checkpoint runs/digits-ccp-1 &
    python3 benchmarks/serving/triton_client.py 127.0.0.1:8080 digits examples/digits.npy

The signals' right classes must be 0, 1, 2 and so on, as those of examples/digits.npy are; at least 9 of 10 must be found.
With --any the classes may be any, for models that learned little: the ways of asking must then agree.
"""

import sys

import ml_dtypes
import numpy as np
import tritonclient.http as triton
import tritonclient.utils as types


def texts(array):
    """The texts of a tensor of BYTES, which the client gives as bytes where they were binary."""
    return [t.decode() if isinstance(t, bytes) else t for t in array.ravel().tolist()]


DATATYPES = [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64, np.float16, ml_dtypes.bfloat16,
             np.float32, np.float64, np.bool_]


def extremes(datatype, shape):
    """Three signals of a datatype: its elements of every size, then its least and its greatest ones and 0, then subnormals and -0."""
    draw = np.random.default_rng(1)
    if datatype == np.bool_:
        return draw.integers(0, 2, (3, *shape)).astype(bool)
    if np.issubdtype(datatype, np.integer):
        info = np.iinfo(datatype)
        drawn, ends = draw.integers(info.min, info.max, shape, datatype, endpoint=True), [info.min, info.max, info.max - 1, 0, 1]
        small = [0, 1, 2, 3, 5]
    else:
        info = ml_dtypes.finfo(np.float32 if datatype == np.float64 else datatype)  # what float32 does not hold is refused
        drawn, ends = draw.normal(0, 3, shape).astype(datatype), [info.min, info.max, info.smallest_normal, 0, 1]
        small = [info.smallest_subnormal, -info.smallest_subnormal, -0.0, 0, 1]
    return np.stack([drawn] + [draw.choice(np.array(values, datatype), shape) for values in (ends, small)])


def same_in_every_datatype(ask, shape):
    """Asks for signals of each datatype, in binary and in JSON, one by one: the answer, or the refusal, is that of the nearest float32."""
    def outcome(signal, datatype, binary):
        try:
            return ask(binary, signals=signal[None], datatype=datatype).as_numpy("probabilities").tolist()
        except types.InferenceServerException as error:
            assert error.status() == "400", error
            return error.message()

    for datatype in DATATYPES:
        for signal in extremes(datatype, shape):
            want = outcome(signal, np.float32, True)
            for binary in (True, False):
                if binary or datatype != ml_dtypes.bfloat16:  # which the client sends in binary only
                    got = outcome(signal, datatype, binary)
                    assert got == want, (datatype, binary, signal, got, want)
    for wrong, text in ((1e39, "float32 does not hold"), (-np.inf, "is -Inf"), (np.nan, "is NaN")):
        assert text in outcome(np.full(shape, wrong), np.float64, True), wrong


def main(address, model, path, *options):
    client = triton.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready(model)
    assert "binary_tensor_data" in client.get_server_metadata()["extensions"]
    metadata = client.get_model_metadata(model)
    version = metadata["versions"][0]
    assert client.is_model_ready(model, version) and not client.is_model_ready("no-such-model")
    (tensor,) = metadata["inputs"]
    assert (tensor["name"], tensor["datatype"]) == ("signals", "FP32"), tensor
    signals = np.load(path)
    signals = signals.reshape([len(signals)] + tensor["shape"][1:])

    def ask(binary, signals=signals, datatype=np.float32, outputs=("probabilities", "class", "label"), **options):
        signals = signals.astype(datatype)
        given = triton.InferInput("signals", list(signals.shape), types.np_to_triton_dtype(signals.dtype))
        given.set_data_from_numpy(signals, binary_data=binary)
        asked = [triton.InferRequestedOutput(name, binary_data=binary) for name in outputs]
        return client.infer(model, [given], outputs=asked or None, **options)

    first = ask(binary=True)
    classes, probabilities = first.as_numpy("class"), first.as_numpy("probabilities")
    right = (classes == np.arange(len(classes))).sum()
    print(f"model {model}, version {version}: {right} of {len(classes)} classes are right")
    assert "--any" in options or right >= 0.9 * len(classes), classes
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5) and (probabilities.argmax(axis=1) == classes).all()

    others = {
        "JSON": ask(binary=False),
        "all outputs, binary by default": ask(binary=True, outputs=()),
        "a version": ask(binary=True, model_version=version, request_id="7"),
        "gzip there and back": ask(binary=True, request_compression_algorithm="gzip", response_compression_algorithm="gzip"),
        "deflate": ask(binary=False, request_compression_algorithm="deflate", response_compression_algorithm="deflate"),
    }
    same_in_every_datatype(ask, signals.shape[1:])
    for name, answer in others.items():
        assert (answer.as_numpy("class") == classes).all(), name
        assert texts(answer.as_numpy("label")) == texts(first.as_numpy("label")), name
        assert np.allclose(answer.as_numpy("probabilities"), probabilities, atol=1e-5), name
    assert others["a version"].get_response()["id"] == "7"
    assert others["a version"].get_response()["model_version"] == version

    for binary in (False, True):
        given = triton.InferInput("signals", list(signals.shape), "FP32")
        given.set_data_from_numpy(signals.astype(np.float32), binary_data=binary)
        asked = triton.InferRequestedOutput("probabilities", binary_data=binary, class_count=3)
        ranked = client.infer(model, [given], outputs=[asked]).as_numpy("probabilities")
        assert ranked.shape == (len(signals), min(3, probabilities.shape[1]))
        for i, row in enumerate(ranked):
            score, index, label = texts(row)[0].split(":", 2)
            assert abs(float(score) - probabilities[i].max()) < 1e-5 and int(index) == classes[i]
            assert label == texts(first.as_numpy("label"))[i]

    pending = []
    for row in signals:  # several at once
        given = triton.InferInput("signals", [1, *row.shape], "FP32")
        given.set_data_from_numpy(row[None].astype(np.float32))
        pending.append(client.async_infer(model, [given]))
    assert [int(p.get_result().as_numpy("class")[0]) for p in pending] == classes.tolist()

    for wrong, text in ((signals[:, :-1], "has shape"), (np.full(signals.shape, np.nan), "is NaN")):
        try:
            ask(binary=True, signals=wrong)
        except types.InferenceServerException as error:
            assert text in str(error) and error.status() == "400", error
        else:
            raise AssertionError(f"{text}: no error")
    print("all is well")


if __name__ == "__main__":
    main(*sys.argv[1:])
