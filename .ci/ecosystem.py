"""Trains with the tools of docs/ecosystem.md that Go's tests leave out. The Python needs mlflow, mne, edfio, scikit-learn and yaml, and the PATH ccp.

    python3 .ci/ecosystem.py
"""
import contextlib
import csv
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
SMALL = ["--backend", "go", "--levels", "4x8/4,1x8/4", "--fc", "8", "--validation", "0.2"]


@contextlib.contextmanager
def running(*command, **options):
    """A process, which is killed at the end with those that it started."""
    process = subprocess.Popen([str(part) for part in command], start_new_session=True, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(true, seconds=300):  # which only a machine without time for it reaches
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.05)


def epochs(run):
    table = pathlib.Path(run, "history.csv")
    return list(csv.DictReader(table.read_text().splitlines())) if table.exists() else []


def healthy(url):
    with contextlib.suppress(OSError):
        return urllib.request.urlopen(url).status == 200


def try_mlflow():
    """A training and what logs it are killed. Both go on, in the same run of MLflow, whose artefacts are a checkpoint."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # of language models' judges: seven processes
    url = os.environ["MLFLOW_TRACKING_URI"] = f"http://127.0.0.1:{port}"
    import mlflow
    train = ["ccp", "train", *SMALL, "--epochs", "6", "--checkpoint", "run"]
    log = [sys.executable, EXAMPLES / "python/mlflow_log.py", "run"]

    def logged():
        runs = mlflow.search_runs(experiment_names=["ccp"], output_format="list")
        if not runs:
            return [], None
        (run,) = runs
        return [(p.step, p.value) for p in mlflow.MlflowClient().get_metric_history(run.info.run_id, "validation_loss")], run

    with running(sys.executable, "-m", "mlflow", "server", "--port", port, "--workers", "1",
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        until(lambda: healthy(url + "/health"))
        with running(*train) as training, running(*log):
            until(lambda: len(epochs("run")) >= 2)
            training.send_signal(signal.SIGSTOP)
            until(lambda: len(logged()[0]) >= 2)
        assert not pathlib.Path("run/result.json").exists()
        with running(*train) as training, running(*log) as logging:
            assert training.wait() == 0 and logging.wait() == 0
        points, run = logged()
        assert points == [(int(row["epoch"]), float(row["validation_loss"])) for row in epochs("run")] and len(points) == 6, points
        assert run.info.status == "FINISHED" and "test_accuracy" in run.data.metrics and run.data.params["epochs"] == "6", run
        mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path="logged")
    subprocess.run(["ccp", "eval", "--backend", "go", "--checkpoint", "logged"], check=True)


def try_mne():
    """Recordings of EEG, as EDF and as BDF with annotations, become data that train, and one that predict takes."""
    import edfio
    import numpy as np

    draw, timepoints = np.random.default_rng(1), np.arange(60 * 100) / 100
    for path in ["s1.edf", "s2.edf", "s3.bdf", "s4.edf"]:
        # Each 2 s from 1 on, the back of the head has 10 Hz or has not; the fifth time is marked as bad.
        rest = {at: draw.random() < 0.5 for at in range(1, 59, 2)}
        alpha = sum(rest[at] * (timepoints >= at) * (timepoints < at + 2) for at in rest) * np.sin(20 * np.pi * timepoints)
        signals = {"EEG Fp1-REF": 0, "EEG FP2-REF": 0, "Cz": 0.2, "O1": 1, "o2..": 1, "ECG": 0}
        kind, signal = (edfio.Bdf, edfio.BdfSignal) if path.endswith(".bdf") else (edfio.Edf, edfio.EdfSignal)
        kind([signal(20 * share * alpha + draw.normal(0, 5, len(timepoints)), 100, label=name, physical_dimension="uV")
              for name, share in signals.items()],
             annotations=[edfio.EdfAnnotation(at, None, "closed" if rest[at] else "open") for at in rest]
              + [edfio.EdfAnnotation(9, 2, "BAD")],
             ).write(path)
    read = [sys.executable, "-m", "clusterpool.read", "--window", "2s", "--leave", "ECG", "--out"]
    package = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent / "python/src")}
    subprocess.run([*read, "eeg.npz", "s1.edf", "s2.edf", "s3.bdf"], check=True, env=package)
    subprocess.run([*read, "new.npz", "s4.edf"], check=True, env=package)
    data = np.load("eeg.npz")
    assert data["series"].shape == (3 * 28, 5, 200) and list(data["sensor_names"]) == ["Fp1", "Fp2", "Cz", "O1", "O2"], data
    x, y, _ = data["coordinates"].T
    assert x[0] < 0 < x[1] and y[3] < y[2] < y[0], "left is negative, as is the back"
    subprocess.run(["ccp", "data", "check", "eeg.npz"], check=True)
    subprocess.run(["ccp", "train", "--backend", "go", "--data", "eeg.npz", "--steps", "60", "--checkpoint", "eeg"], check=True)
    subprocess.run(["ccp", "predict", "--backend", "go", "--checkpoint", "eeg", "new.npz", "--out", "new.csv"], check=True)
    with open("new.csv") as file:
        predictions = [row["class"] for row in csv.DictReader(file)]
    new = np.load("new.npz")
    right = np.mean(predictions == new["class_names"][new["labels"]])
    assert right > 0.9, right


def try_kubernetes():
    """The job of seeds with processes as pods. Two share its seeds, one is killed, one diverges, one's line is wrong."""
    import yaml

    job = yaml.safe_load((EXAMPLES / "kubernetes/seeds.yaml").read_text())["spec"]
    (container,) = job["template"]["spec"]["containers"]
    subprocess.run([sys.executable, EXAMPLES / "ring.py"], check=True)
    pathlib.Path("ring.npz").rename("mine.npz")

    def pod(seed, *settings):
        line = [part.replace("$(SEED)", str(seed)) for part in container["command"]]
        return running(*line, "--backend", "go", "--levels", "4x8/4", "--fc", "8", "--epochs", "20",
                       *settings, stderr=subprocess.PIPE, text=True)

    def ends(process):
        """What the controller does about a pod, by the job's policy, and what the pod wrote."""
        written = process.communicate()[1]
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode  # as a container's
        actions = [rule["action"] for rule in job["podFailurePolicy"]["rules"] if code in rule.get("onExitCodes", {}).get("values", [])]
        return (actions + ["Count" if code else "Complete"])[0], written

    def results(seed):
        result = json.loads(pathlib.Path(f"mine-{seed}/result.json").read_text())
        return [result[key] for key in ("seed", "steps", "train", "test")]

    with pod(0) as whole:
        assert ends(whole)[0] == "Complete"
    expected = results(0)
    shutil.rmtree("mine-0")
    with pod(0) as first, pod(1) as second:
        until(lambda: len(epochs("mine-0")) >= 2)
        first.kill()
        assert ends(first)[0] == "Count" and not pathlib.Path("mine-0/result.json").exists()
        with pod(0) as again:
            action, written = ends(again)
            assert action == "Complete" and "resuming after step" in written, (action, written)
        assert ends(second)[0] == "Complete"
    assert results(0) == expected and results(1)[0] == 1, (results(0), expected)
    for setting, want in {"l2=1e39": "FailIndex", "schedule=linear": "FailJob"}.items():
        with pod(2, setting) as failing:
            assert ends(failing)[0] == want, setting


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in [try_mlflow, try_mne, try_kubernetes]:
        begin = time.monotonic()
        print(f"-- {part.__doc__}", flush=True)
        part()
        print(f"-- {time.monotonic() - begin:.0f} s", flush=True)
