import numpy as np
import pytest

import clusterpool


def pytest_configure(config):
    """These are tests of what is installed, with its program."""
    assert "site-packages" in clusterpool.__file__ or config.getoption("--source"), (
        f"clusterpool is the source tree, {clusterpool.__file__}: install a wheel of it, or give --source")


def pytest_addoption(parser):
    parser.addoption("--source", action="store_true", help="test the source tree, by the program that CLUSTERPOOL_PROGRAM names")


@pytest.fixture
def recordings():
    """40 of three sensors from ten people; who walks has a wave at the second sensor. One has a gap, one is shorter."""
    draw, which = np.random.default_rng(0), np.arange(40)
    x = draw.normal(size=(40, 3, 30))
    x[which % 2 == 1, 1] += 2 * np.sin(np.arange(30) / 2)
    x[3, 1, 4] = x[5, :, 20:] = np.nan
    return x, np.array(["rest", "walk"])[which % 2], which // 2 % 10


@pytest.fixture
def whole(recordings):
    """The same without gaps."""
    x, y, _ = recordings
    return np.nan_to_num(x), y


@pytest.fixture
def ring():
    """Signals on a ring of six nodes, whose classes differ at two neighbours."""
    draw, y = np.random.default_rng(0), np.arange(48) % 2
    x = draw.normal(size=(48, 6))
    x[y == 1, 2:4] += 2
    return x, y, [(i, (i + 1) % 6) for i in range(6)]
