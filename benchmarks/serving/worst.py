"""What a request costs a running `ccp serve` at most: large requests, compressed, one after another. For each: processor
seconds and the peak of the resident memory (Linux). The model is of imported recordings.

    python3 benchmarks/serving/worst.py http://127.0.0.1:8080/v2/models/mine PID
"""
import gzip
import http.client
import sys
import time
import urllib.parse

LARGEST = 64 << 20  # the default of --max-body


def main():
    url, pid = urllib.parse.urlparse(sys.argv[1]), sys.argv[2]

    def status(name):
        return next(int(line.split()[1]) / 1e3 for line in open(f"/proc/{pid}/status") if line.startswith(name))

    def seconds():
        fields = open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    print(f"idle {status('VmRSS'):.0f} MB")
    for path, name, text in requests():
        body = gzip.compress(text.encode())
        open(f"/proc/{pid}/clear_refs", "w").write("5")  # the peak begins anew
        before = seconds()
        connection = http.client.HTTPConnection(url.netloc, timeout=300)
        connection.request("POST", f"{url.path}/{path}", body, {"Content-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        time.sleep(0.3)
        print(f"{path:10} {name:22} {len(text) / 2**20:3.0f} MiB {len(body) / 1e3:4.0f} kB  {answer.status} "
              f"{seconds() - before:5.2f} s  {status('VmHWM'):5.0f} MB")


def requests():
    """Yields path, name and text of each request."""
    def many(before, unit, after, size=LARGEST):
        return (before + unit * ((size - len(before) - len(after)) // len(unit))).rstrip(",") + after

    signals = '{"inputs":[{"name":"signals","datatype":"FP32","shape":['
    yield "infer", "inputs", many('{"inputs":[', "{},", "]}")
    yield "infer", "outputs", many('{"outputs":[', "{},", "]}")
    yield "infer", "sizes of a shape", many(signals, "1,", "]}]}")
    yield "infer", "unknown objects", many('{"x":[', "{},", "]}")
    yield "infer", "unknown numbers", many('{"x":[', "0,", "]}")
    yield "infer", "unknown names", many("{", '"a":0,', "}")
    yield "infer", "values", many(signals + '1024,33,1],"data":[', "0,", "]}]}")
    yield "infer", "values of many digits", many(signals + '1024,33,1],"data":[', "0." + "1234567890" * 99 + ",", "]}]}")
    yield "infer", "a long id", many('{"id":"', "a", '"}')
    yield "infer", "a whole batch", signals + '1024,33,1],"data":[' + ",".join(["15.5"] * 1024 * 33) + "]}]}"
    recording = '{"recordings":[{'
    yield "recordings", "values", many(recording + '"values":[[', "0,", "]]}]}")
    yield "recordings", "time points, accepted", many(recording + '"values":[', "[0,0,0],", "]}]}", 14 << 20)
    yield "recordings", "long values, accepted", many(recording + '"values":[', "[0.12500,0.12500,0.12500],", "]}]}", 44 << 20)
    yield "recordings", "empty time points", many(recording + '"values":[', "[],", "]}]}")
    yield "recordings", "sensors", many(recording + '"sensors":[', '"",', "]}]}")
    yield "recordings", "a long sensor", many(recording + '"sensors":["', "a", '"],"values":[[1]]}]}')
    yield "recordings", "times", many(recording + '"times":[', "0,", "]}]}")
    yield "recordings", "recordings", many('{"recordings":[', "{},", "]}")
    yield "recordings", "unknown objects", many('{"x":[', "{},", "]}")


if __name__ == "__main__":
    main()
