"""One run of a W&B sweep: trains with what the agent appends, and logs the scores of each epoch and of the result.

    WANDB_MODE=offline python3 examples/search/wandb_run.py --steps 300 learning_rate=0.002
"""
import subprocess
import sys

import wandb

with wandb.init(project="ccp") as run:
    command = ["ccp", "train", "--validation", "0.2", "--metrics", "-", "--checkpoint", f"runs/sweep/{run.id}"]
    training = subprocess.Popen([*command, *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
    try:
        for line in training.stdout:
            if line.startswith("epoch="):
                run.log({name: float(value) for name, value in (pair.split("=") for pair in line.split())})
    finally:
        training.terminate()  # if the run is stopped; the training saves its state
sys.exit(training.wait())
