"""Searches settings of `ccp train` with Optuna; the trials stay in search.db, and the same command adds as many again.

    pip install optuna
    python3 examples/search/optuna_search.py 10 --data mine.npz --steps 300
"""
import subprocess
import sys

import optuna


def objective(trial):
    pairs = {
        "learning_rate": trial.suggest_float("learning_rate", 3e-4, 1e-2, log=True),
        "ccp_dropout": trial.suggest_float("ccp_dropout", 0, 0.5),
        "readout_dropout": trial.suggest_float("readout_dropout", 0, 0.7),
        "batch": trial.suggest_categorical("batch", [16, 32, 64]),
    }
    command = ["ccp", "train", "--validation", "0.2", "--metrics", "-", "--checkpoint", f"runs/search/{trial.number}"]
    training = subprocess.Popen([*command, *sys.argv[2:], *(f"{name}={value}" for name, value in pairs.items())],
                                stdout=subprocess.PIPE, text=True)
    for line in training.stdout:
        scores = dict(pair.split("=") for pair in line.split() if "=" in pair)
        if "test_loss" in scores:  # the line of the result; the search must not look at the test
            loss = float(scores["validation_loss"])
        elif "epoch" in scores:
            trial.report(float(scores["validation_loss"]), int(scores["epoch"]))
            if trial.should_prune():
                training.terminate()  # its state is saved: the same command would go on
    code = training.wait()
    if code in (3, 4, 130):  # diverged, out of memory, stopped
        raise optuna.TrialPruned()
    if code != 0:
        raise SystemExit(code)
    return loss


study = optuna.create_study(study_name="ccp", storage="sqlite:///search.db", load_if_exists=True)
study.optimize(objective, n_trials=int(sys.argv[1]))
print("best:", study.best_value, *(f"{name}={value}" for name, value in study.best_params.items()))
