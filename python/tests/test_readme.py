"""The code of the package's page runs, and the docstrings' examples say what they say."""
import doctest
import pathlib
import re
import warnings

import pytest

from clusterpool import estimator


def test_readme(capsys):
    page = pathlib.Path(__file__).parent.parent / "README.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pytest.importorskip("networkx")
        pytest.importorskip("pandas")
        for block in blocks:
            exec(compile(block, str(page), "exec"), names)
    accuracy = float(capsys.readouterr().out.split("\n")[0])
    assert accuracy == 1.0 and names["why"].shape[:2] == (10, 3)
    assert abs(names["why"]).sum(axis=(0, 2)).argmax() == 1


def test_docstrings():
    assert doctest.testmod(estimator).attempted > 5
    assert doctest.testmod(estimator).failed == 0


@pytest.mark.parametrize("name", ["aeon", "sktime"])
def test_docstrings_of_peers(name):
    pytest.importorskip(name)
    import importlib

    assert doctest.testmod(importlib.import_module("clusterpool." + name)).failed == 0
