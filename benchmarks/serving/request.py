"""Writes a request for a model of `ccp serve` as a target of Vegeta (github.com/tsenart/vegeta), with signals drawn for it.

    python3 benchmarks/serving/request.py http://127.0.0.1:8080/v2/models/digits > target.json
"""

import argparse
import base64
import json
import random
import struct
import urllib.request


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="URL of the model")
    p.add_argument("--batch", type=int, default=1, help="signals in the request")
    p.add_argument("--json", action="store_true", help="numbers as JSON; the default is binary")
    p.add_argument("--most", type=int, default=255, help="the largest value of a signal")
    f = p.parse_args()
    print(target(f.model, f.batch, f.json, f.most))


def target(model, batch, as_json, most):
    """Returns the request as a line of JSON."""
    with urllib.request.urlopen(model) as answer:
        (tensor,) = json.load(answer)["inputs"]
    _, nodes, channels = tensor["shape"]
    draw = random.Random(1)
    values = [draw.randrange(most + 1) for _ in range(batch * nodes * channels)]
    entry = {"name": tensor["name"], "shape": [batch, nodes, channels], "datatype": tensor["datatype"]}
    document, headers, raw = {"inputs": [entry]}, {}, b""
    if as_json:
        entry["data"] = values
    else:
        raw = struct.pack(f"<{len(values)}f", *values)
        entry["parameters"] = {"binary_data_size": len(raw)}
        document["parameters"] = {"binary_data_output": True}
    text = json.dumps(document).encode()
    if raw:
        headers["Inference-Header-Content-Length"] = [str(len(text))]
    return json.dumps({"method": "POST", "url": model + "/infer", "body": base64.b64encode(text + raw).decode(), "header": headers})


if __name__ == "__main__":
    main()
