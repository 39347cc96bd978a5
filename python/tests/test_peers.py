"""The checks of aeon and sktime, unchanged, and the estimator in their pipelines. Those that are not installed are skipped."""
import pickle

import numpy as np
import pytest


@pytest.fixture
def collection(whole):
    x, y = whole
    return [one[:, :30 - at % 3] for at, one in enumerate(x)], y


def test_aeon_checks():
    pytest.importorskip("aeon")
    from aeon.testing.estimator_checking import check_estimator

    from clusterpool.aeon import CCPClassifier

    results = check_estimator(CCPClassifier, raise_exceptions=True, use_first_parameter_set=False)
    assert len(results) > 20 and set(results.values()) == {"PASSED"}, results


def test_aeon(collection, recwarn):
    pytest.importorskip("aeon")
    from aeon.pipeline import make_pipeline
    from aeon.transformations.collection import Normalizer
    from sklearn.model_selection import GridSearchCV, cross_val_predict

    from clusterpool import CCPClassifier as Plain
    from clusterpool.aeon import CCPClassifier

    x, y = collection
    model = CCPClassifier(fast=True).fit(x, y)
    want = Plain(fast=True).fit(x, y).predict_proba(x)
    assert (model.predict_proba(x) == want).all()
    assert (pickle.loads(pickle.dumps(model)).predict_proba(x) == want).all()
    equal = np.stack([one[:, :28] for one in x])
    assert (make_pipeline(Normalizer(), CCPClassifier(fast=True)).fit(equal, y).predict(equal) == y).mean() > 0.9
    search = GridSearchCV(CCPClassifier(fast=True), {"params": [{"transforms": "minirocket"}, {"transforms": "values"}]}, cv=2, error_score="raise")
    assert search.fit(equal, y).best_score_ > 0.8
    assert (cross_val_predict(CCPClassifier(fast=True), equal, y, cv=2, n_jobs=2) == y).mean() > 0.8
    missing = equal.copy()
    missing[3, 1, 4:6] = np.nan
    assert CCPClassifier(fast=True).fit(missing, y).predict(missing).shape == (40,)


def test_sktime_checks():
    pytest.importorskip("sktime")
    from sktime.utils.estimator_checks import check_estimator

    from clusterpool.sktime import CCPClassifier

    results = check_estimator(CCPClassifier, raise_exceptions=True, verbose=False)
    assert len(results) > 100 and set(results.values()) == {"PASSED"}, results


def test_torch_geometric(ring):
    """Signals of PyTorch Geometric: samples that share their edges."""
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    from clusterpool import CCPClassifier

    x, y, edges = ring
    edge_index = torch.tensor(edges).T
    edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    samples = [data.Data(x=torch.tensor(one[:, None]), edge_index=edge_index, y=int(label)) for one, label in zip(x, y)]
    X, labels = torch.stack([one.x for one in samples]), [one.y for one in samples]
    for graph in (edge_index, (edge_index, torch.ones(edge_index.shape[1])), samples[0]):
        assert CCPClassifier(fast=True, graph=graph, time=False).fit(X, labels).score(X, labels) > 0.9
