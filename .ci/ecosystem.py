"""Trains with the tools of docs/ecosystem.md that Go's tests leave out. The Python needs mlflow, and the PATH ccp.

    python3 .ci/ecosystem.py
"""
import contextlib
import csv
import os
import pathlib
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


def until(true, seconds=120):
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

    with running(sys.executable, "-m", "mlflow", "server", "--port", port, "--workers", "1", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
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


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in [try_mlflow]:
        begin = time.monotonic()
        print(f"-- {part.__doc__}", flush=True)
        part()
        print(f"-- {time.monotonic() - begin:.0f} s", flush=True)
