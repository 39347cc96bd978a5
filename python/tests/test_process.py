"""The process that is kept for predictions, and trainings that are interrupted."""
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest

from clusterpool import CCPClassifier, _process

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and fork")
NETWORK = {"epochs": 300, "transforms": "none", "levels": "4x8/4", "fc": "8"}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder for temporary files, where no other program has any."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def model(own, whole):
    return CCPClassifier(fast=True).fit(*whole)


def alive(pid):
    """Report whether a process runs: not one that has ended and nobody has asked after."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(true, seconds=120):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.05)


def test_one_process_for_all_predictions(model, own, whole):
    x, _ = whole
    assert model._process.pid is None and not os.listdir(own)  # the first prediction starts it
    every = model.predict_proba(x)
    pid = model._process.pid
    single = np.concatenate([model.predict_proba(x[i:i + 1]) for i in range(len(x))])
    assert (single == every).all() and model._process.pid == pid
    model._process.stop()
    assert not os.listdir(own) and (model.predict_proba(x) == every).all()


def test_a_refusal_leaves_the_process(model, whole):
    x, _ = whole
    model.predict(x)
    pid = model._process.pid
    with pytest.raises(ValueError, match="sample 0: no sensor has a value"):
        model.predict(np.full((1, 3, 30), np.nan))
    model.predict(x)
    assert model._process.pid == pid


@posix
def test_a_killed_process_is_started_again(model, whole):
    x, _ = whole
    before = model.predict_proba(x)
    os.kill(model._process.pid, signal.SIGKILL)
    assert (model.predict_proba(x) == before).all()
    pid = model._process.pid
    os.kill(pid, signal.SIGSTOP)  # it answers nothing until it is killed
    threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
    assert (model.predict_proba(x) == before).all() and model._process.pid != pid


@posix
def test_silence_ends_the_process(own, whole, monkeypatch):
    x, y = whole
    monkeypatch.setattr(_process, "SILENCE", 1)
    model = CCPClassifier(fast=True).fit(x, y)
    before = model.predict_proba(x)
    pid = model._process.pid
    until(lambda: not alive(pid))
    assert (model.predict_proba(x) == before).all() and model._process.pid != pid


@posix
def test_the_process_ends_with_the_object_and_at_exit():
    line = ("import numpy as np, os, sys; from clusterpool import CCPClassifier\n"
            "x = np.random.default_rng(0).normal(size=(20, 2, 20)); y = np.arange(20) % 2; m = CCPClassifier(fast=True).fit(x, y)\n"
            "m.predict(x); first = m._process.pid; m.fit(x, y); m.predict(x)\n"
            "print(first, m._process.pid, flush=True)\n")
    for end, code in {"": 0, "sys.exit(3)": 3, "raise ValueError": 1, "os.kill(os.getpid(), 9)": -9}.items():
        ran = subprocess.run([sys.executable, "-c", line + end], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert ran.returncode == code
        first, second = map(int, ran.stdout.split())
        until(lambda: not alive(first) and not alive(second))


@posix
def test_the_process_ends_with_the_last_reference(own, whole):
    model = CCPClassifier(fast=True).fit(*whole)
    model.predict(whole[0])
    pid = model._process.pid
    del model
    gc.collect()
    assert not alive(pid) and not os.listdir(own)


@posix
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork with threads
def test_fork(model, whole):
    """A child has a process of its own, and leaves the parent's alone."""
    x, _ = whole
    before = model.predict_proba(x)
    pid = model._process.pid
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map(model.predict_proba, [x] * 4):
            assert (found == before).all()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            right = (model.predict_proba(x) == before).all() and model._process.pid != pid
            model._process.stop()
            os.write(write, b"1" if right else b"0")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == b"1" and alive(pid)
    assert (model.predict_proba(x) == before).all() and model._process.pid == pid


def test_threads_share_the_process(model, whole):
    x, _ = whole
    before, wrong = model.predict_proba(x), []

    def ask():
        for i in range(20):
            if (model.predict_proba(x[i:i + 3]) != before[i:i + 3]).any():
                wrong.append(i)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_checkpoint_that_cannot_be_served(model, whole):
    x, _ = whole
    model.checkpoint_ = {name: b"{}" if name == "model.json" else content for name, content in model.checkpoint_.items()}
    model._ready()
    with pytest.raises(RuntimeError, match="model.json"):
        model.predict(x)


def interrupt(call, own):
    """Interrupt a call once its training has begun."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it

    def send():
        until(lambda: list(pathlib.Path(own).glob("clusterpool-*/run/last-*")))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    thread.join()


@posix
def test_interrupt_and_go_on(own, whole):
    """Ctrl-C has the program save its state; the same fit goes on, to the weights of a training that was left alone."""
    x, y = whole
    model = CCPClassifier(params=NETWORK, warm_start=True)
    interrupt(lambda: model.fit(x, y), own)
    assert not hasattr(model, "checkpoint_") and not list(own.glob("*/data.npz"))
    model.fit(x, y)
    assert not list(own.iterdir())
    alone = CCPClassifier(params=NETWORK).fit(x, y)
    assert (model.predict_proba(x) == alone.predict_proba(x)).all()
    assert any("resum" in note for note in model.notes_), model.notes_


@posix
def test_interrupt_leaves_nothing(own, whole):
    x, y = whole
    model = CCPClassifier(params=NETWORK)
    interrupt(lambda: model.fit(x, y), own)
    model.set_params(params={**NETWORK, "epochs": 2}).fit(x[:, :2], y)  # from the beginning, without warm_start
    assert not list(own.iterdir())
    model = CCPClassifier(params=NETWORK, warm_start=True)
    interrupt(lambda: model.fit(x, y), own)
    with pytest.raises(ValueError, match="warm_start=False"):
        model.fit(x[:, :2], y)
    del model
    gc.collect()
    assert not list(own.iterdir())
