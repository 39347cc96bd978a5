"""Gives recordings to the estimator and to ONNX Runtime, for TestPythonInterfaceOfRecordings.

    python3 interfaces.py ASKED ANSWERED

ASKED is JSON: a list of classifiers with run (a checkpoint), onnx (its export) and recordings. A recording has rows
[timepoints][sensors] with null for a gap, perhaps times, and perhaps series: what Form.Series makes of it. ANSWERED gets for
each classifier and recording what the estimator says (probabilities and warnings, or refused) and the probabilities of ONNX.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import onnxruntime
from clusterpool import CCPClassifier


def estimated(classifier, recording):
    model = CCPClassifier.load(classifier["run"], times=recording["times"])
    series = np.array(recording["rows"], float).T[np.newaxis]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            (probabilities,) = model.predict_proba(series)
        except ValueError as error:
            return {"refused": str(error)}
    return {"probabilities": dict(zip(model.classes_, probabilities)), "warnings": [str(w.message) for w in caught]}


def exported(session, recording):
    if not recording["series"] or len(recording["series"]) < 3:  # an export takes three time points or more
        return None
    probabilities = session.run(["probabilities"], {"series": np.array([recording["series"]], np.float32)})[0][0]
    return None if np.isnan(probabilities).any() else probabilities.tolist()


answers = []
for classifier in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    session = onnxruntime.InferenceSession(classifier["onnx"], providers=["CPUExecutionProvider"])
    answers.append([{"estimator": estimated(classifier, recording), "onnx": exported(session, recording)} for recording in classifier["recordings"]])
pathlib.Path(sys.argv[2]).write_text(json.dumps(answers))
