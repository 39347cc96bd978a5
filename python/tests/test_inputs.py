"""Every form of X gives what the same samples give as an array, and names are matched."""
import numpy as np
import pandas as pd
import pytest

from clusterpool import CCPClassifier, CCPError


def long_frame(x, names, times=None, samples=None):
    """A frame with a line for each sample and time point, of arrays [sensors, timepoints]."""
    parts = {}
    for at, one in enumerate(x):
        clock = np.arange(one.shape[1]) if times is None else times[at][:one.shape[1]]
        parts[at if samples is None else samples[at]] = pd.DataFrame(one.T, index=clock, columns=names)
    return pd.concat(parts, names=["sample", "time"])


@pytest.fixture
def fitted(whole):
    return CCPClassifier(fast=True).fit(*whole)


def test_a_list_of_unequal_lengths(recordings, whole):
    """As aeon has them: the same as an array that ends in NaN."""
    x, y, _ = recordings
    padded = whole[0].copy()
    padded[5, :, 20:] = padded[7, :, 25:] = np.nan
    listed = [one[:, ~np.isnan(one[0])] for one in padded]
    assert [one.shape[1] for one in listed[4:8]] == [30, 20, 30, 25]
    want = CCPClassifier(fast=True).fit(padded, y).predict_proba(padded[::-1])
    model = CCPClassifier(fast=True).fit(listed, y)
    assert (model.predict_proba(listed[::-1]) == want).all()
    assert (model.predict_proba([listed[7]]) == want[-8]).all()
    for wrong, text in [([listed[0], listed[1][:2]], r"X\[1\] has shape \(2, 30\), and X\[0\] has \(3, 30\)"),
                        ([listed[0], np.empty((3, 0))], r"X\[1\] has no time point"),
                        ([listed[0], np.full((3, 30), np.inf)], r"X\[1\] has infinite values"),
                        ([listed[0][:2]], "X has 2 sensors, but CCPClassifier is expecting 3"),
                        ([np.full((3, 4), "a")], r"X\[0\] has the type <U1")]:
        with pytest.raises(ValueError, match=text):
            model.predict(wrong)


def test_a_long_frame(whole, fitted):
    """Lines in any order; sensors by their names; classes by the names of samples."""
    x, y = whole
    want = fitted.predict_proba(x)
    names = ["hip", "hand", "head"]
    frame = long_frame(x, names, samples=[f"s{i}" for i in range(40)])
    model = CCPClassifier(fast=True).fit(frame.sample(frac=1, random_state=0).sort_index(level=0, sort_remaining=False),
                                         pd.Series(y, index=[f"s{i}" for i in range(40)]).sample(frac=1, random_state=1))
    assert list(model.feature_names_in_) == names and model.n_features_in_ == 3
    plain = CCPClassifier(fast=True).fit(frame, pd.Series(y, index=[f"s{i}" for i in range(40)]))
    assert (plain.predict_proba(frame) == want).all()
    turned = frame[["head", "hip", "hand"]].sample(frac=1, random_state=2)
    order = [int(name[1:]) for name in turned.index.get_level_values(0).unique()]
    assert (plain.predict_proba(turned) == want[order]).all()
    with pytest.warns(UserWarning, match="column 'foot' is left out"):
        assert (plain.predict_proba(frame.assign(foot=1.0)) == want).all()
    for wrong, text in [(frame[["hip", "hand"]], "no column 'head'"), (pd.concat([frame, frame[:1]]), "two lines of sample 's0' at one time"),
                        (frame.set_axis(pd.MultiIndex.from_product([range(40), list("abcdefghijklmnopqrstuvwxyz0123")])), "give numbers or dates")]:
        with pytest.raises(ValueError, match=text):
            plain.predict(wrong)
    with pytest.raises(ValueError, match="y has the index 39, 38, .* and the samples of X are 's0', 's1'"):
        CCPClassifier(fast=True).fit(frame, pd.Series(y, index=np.arange(40)[::-1]))


def test_a_frame_of_unequal_lengths_and_times(whole):
    """Times that all share, that each has, and dates; the program's own file with these times has the same predictions."""
    draw, y = np.random.default_rng(0), np.arange(48) % 2
    times = np.cumsum(np.tile([1, 1, 1, 5], 13))[:50] / 10
    x = np.sin(np.array([2, 3])[y, None, None] * (times + draw.uniform(0, 9, (48, 1, 1)))) + draw.normal(0, 0.2, (48, 1, 50))
    settings = {"transforms": "power"}
    want = CCPClassifier(fast=True, params=settings, times=times).fit(x[:32], y[:32]).predict_proba(x)
    assert (want.argmax(axis=1) == y).all(), want
    frame = long_frame(x, ["a"], [times] * 48)
    found = CCPClassifier(fast=True, params=settings).fit(frame.loc[:31], y[:32]).predict_proba(frame)
    assert (found == want).all()
    dates = long_frame(x, ["a"], [pd.Timestamp("2026-01-01") + pd.to_timedelta(times + i, "s") for i in range(48)])
    found = CCPClassifier(fast=True, params=settings).fit(dates.loc[:31], y[:32]).predict_proba(dates)
    assert abs(found - want).max() < 1e-6
    shorter = [one[:, :50 - i % 3] for i, one in enumerate(x)]
    model = CCPClassifier(fast=True, params=settings).fit(long_frame(shorter[:32], ["a"], [times + i for i in range(32)]), y[:32])
    assert (model.predict(long_frame(shorter, ["a"], [times] * 48)) == y).all()
    with pytest.raises(ValueError, match=r"times has shape \(50,\), and X has 40 time points"):
        CCPClassifier(fast=True, times=times).fit(x, y).predict(x[:, :, :40])


def test_rate(whole, recwarn):
    """With the rate, nothing is said of recordings without times."""
    x, y = whole
    model = CCPClassifier(fast=True, rate=100).fit(x, y)
    assert model.score(x, y) > 0.9
    assert not [w for w in recwarn if "times" in str(w.message)], [str(w.message) for w in recwarn]
    assert model._form["rate"] == 100


def test_types_of_numbers(whole):
    x, y = whole
    whole_numbers = np.round(x * 20)
    want = CCPClassifier(fast=True).fit(whole_numbers, y).predict_proba(whole_numbers)
    for kind in (np.float32, np.float16, np.int8, np.int64, object):
        same = whole_numbers.astype(kind)
        assert (CCPClassifier(fast=True).fit(same, y).predict_proba(same) == want).all(), kind
    for same in (np.asfortranarray(whole_numbers), np.repeat(whole_numbers, 2, axis=0)[::2], whole_numbers.astype(">f8")):
        assert (CCPClassifier(fast=True).fit(same, y).predict_proba(same) == want).all()
    truth = x > 0
    assert CCPClassifier(fast=True).fit(truth, y).predict_proba(truth).shape == (40, 2)
    with pytest.raises(CCPError, match="float32"):
        CCPClassifier(fast=True).fit(np.where(x > 2, 1e300, x), y)


def test_axes_and_one_sensor(whole):
    x, y = whole
    axes = np.stack([x, x ** 2], axis=3)  # [samples, sensors, timepoints, channels]
    model = CCPClassifier(fast=True).fit(axes, y)
    assert model.score(axes, y) > 0.9 and (model.predict_proba(list(axes)) == model.predict_proba(axes)).all()
    alone = x[:, 1]
    model = CCPClassifier(fast=True, time=True).fit(alone, y)
    assert (model.predict_proba(alone) == CCPClassifier(fast=True).fit(alone[:, None], y).predict_proba(alone[:, None])).all()
    assert model._form["longest"] == 30 and model.predict(alone[:, :28]).shape == (40,)


def test_a_table_of_pandas_keeps_its_columns(ring):
    x, y, _ = ring
    frame = pd.DataFrame(x, columns=list("abcdef"))
    model = CCPClassifier(fast=True).fit(frame, y)
    assert model.score(frame, y) > 0.9
    with pytest.raises(ValueError, match="same order as they were in fit"):
        model.predict(frame[list("bacdef")])


def test_a_list_of_recordings_of_one_sensor(whole):
    """Arrays [timepoints] of unequal lengths are recordings if time=True says so, and else are refused with the way out."""
    x, y = whole
    rows = [one[:30 - at % 3] for at, one in enumerate(x[:, 1])]
    model = CCPClassifier(fast=True, time=True).fit(rows, y)
    want = CCPClassifier(fast=True).fit([row[None] for row in rows], y).predict_proba([row[None] for row in rows])
    assert (model.predict_proba(rows) == want).all()
    for given in (rows, [row.tolist() for row in rows]):
        with pytest.raises(ValueError, match=r"rows of 28 to 30 numbers: .*\[1, timepoints\], or say time=True"):
            CCPClassifier(fast=True).fit(given, y)
