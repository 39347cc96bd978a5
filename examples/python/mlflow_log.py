"""Logs a run of `ccp train` to MLflow until it has its result: settings, curves, scores of the test, and the checkpoint.

It reads the run's folder, so the training neither waits for the server nor fails with it. Repeated, it logs what is new,
into the same run of MLflow, also after a training that was killed and goes on.

    pip install mlflow
    MLFLOW_TRACKING_URI=http://127.0.0.1:5000 python3 examples/python/mlflow_log.py runs/mine-ccp-1
"""
import csv
import json
import pathlib
import sys
import time

import mlflow
from mlflow.entities import Metric

folder = pathlib.Path(sys.argv[1])
history, result = folder / "history.csv", folder / "result.json"  # replaced as a whole: after each epoch, at the end


def epochs():
    return list(csv.DictReader(history.read_text().splitlines())) if history.exists() else []


while not epochs():
    time.sleep(1)
client, experiment = mlflow.MlflowClient(), mlflow.set_experiment("ccp").experiment_id
name, first = folder.as_posix(), epochs()[0]["train_loss"]  # --overwrite begins another run
known = mlflow.search_runs([experiment], f"attributes.run_name = '{name}' and tags.first_loss = '{first}'", output_format="list")
with mlflow.start_run(known[0].info.run_id if known else None, run_name=name, tags={"first_loss": first}) as run:
    model, config = (json.loads((folder / name).read_text()) for name in ["model.json", "config.json"])
    network = {name: model["spec"][name] for name in ["model", "levels", "hidden"]}
    mlflow.log_params({"data": model["data"], **config["data"], **config["training"], **network, **model["spec"]["options"]})
    logged = len(client.get_metric_history(run.info.run_id, "train_loss"))
    ended = False
    while not ended:
        ended = result.exists()
        for row in epochs()[logged:]:
            scores = [(name, float(value)) for name, value in row.items() if name.endswith(("_loss", "_accuracy")) and value != "NaN"]
            now, epoch = int(time.time() * 1000), int(row["epoch"])
            client.log_batch(run.info.run_id, [Metric(name, value, now, epoch) for name, value in scores])
            logged = epoch
        time.sleep(0 if ended else 1)
    test = json.loads(result.read_text())
    mlflow.log_metrics({"test_" + name: value for name, value in test["test"].items()}, step=test.get("best_epoch", 1))
    for path in [folder / "model.json", folder / "graph.npz", folder / "config.json", result, *folder.glob("best-*")]:
        mlflow.log_artifact(path)
