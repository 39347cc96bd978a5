"""Imports Parquet files of pyarrow, polars, DuckDB and fastparquet, and compares each value with what was written, to the last bit of
float32. The Python needs these and numpy, and the PATH ccp.

    python3 .ci/formats/parquet.py
"""
import datetime
import decimal
import itertools
import json
import os
import subprocess
import sys
import tempfile
import uuid
import zlib

import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

checked, wrong = 0, []


def run(path, *options):
    """Imports a file. Returns the arrays and the report, or the refusal."""
    command = ["ccp", "data", "import", path, "--out", "out.npz", "--overwrite", "--json", *options]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        return None, ran.stderr.strip()
    if "warning" in ran.stderr:  # beside the progress of a large file
        return None, "printed on the standard error: " + ran.stderr.strip()
    return dict(np.load("out.npz")), json.loads(ran.stdout)


def fault(name, text):
    wrong.append(name)
    print("WRONG", name, text, flush=True)


def same(name, path, want, labels, *options):
    """Compares the columns of a file, whose rows are samples."""
    global checked
    checked += 1
    made, report = run(path, "--layout", "samples", "--missing", "fill", *options)
    if made is None:
        return fault(name, report)
    names = list(made["sensor_names"])
    for column, values in want.items():
        got = made["series"][:, names.index(column), 0] if column in names else None
        if got is None or got.tobytes() != canonical(values).tobytes():
            bad = "absent" if got is None else np.flatnonzero(got.view("u4") != canonical(values).view("u4"))[:5]
            fault(name, f"column {column}: rows {bad}: {None if got is None else got[bad]}, written {canonical(values)[bad]}")
    if set(names) != set(want):
        fault(name, f"columns {names}")
    if [made["class_names"][k] for k in made["labels"]] != list(labels):
        fault(name, "labels")


def canonical(values):
    """The float32 of a column. All missing values have the bits of one NaN."""
    values = np.array([np.nan if v is None else v for v in values], dtype=np.float64).astype(np.float32)
    values[np.isnan(values)] = np.float32("nan")
    return values


def refused(name, path, text, *options):
    global checked
    checked += 1
    made, report = run(path, *options)
    if made is not None or text not in report:
        fault(name, f"want a refusal with {text!r}, got {report}")


def columns(rows, seed, nulls):
    """Columns of every type of numbers, as Arrow's arrays and as the values that they stand for."""
    r = np.random.default_rng(seed)
    decimals = [decimal.Decimal(int(n)).scaleb(-4) for n in r.integers(-10**8, 10**8, rows)]
    floats = r.normal(size=rows)
    made = {}
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        info = np.iinfo(kind)
        made[f"{kind}_x"] = pa.array(r.integers(info.min, info.max, rows, dtype=kind, endpoint=True))
    made["counter"] = pa.array(np.arange(rows, dtype=np.int64) * 1000 + 1_700_000_000_000)
    made["half"] = pa.array(floats.astype(np.float16))
    made["single"] = pa.array(floats.astype(np.float32))
    made["double"] = pa.array(floats)
    made["steps"] = pa.array(np.repeat(np.round(floats[: rows // 8 + 1], 1), 8)[:rows])
    for digits in (9, 18, 38):
        made[f"decimal{digits}"] = pa.array(decimals, pa.decimal128(digits, 4))
    made["truth"] = pa.array(floats > 0)
    made["text"] = pa.array([f"{v:.6g}" for v in floats], pa.string())
    made["large"] = pa.array([repr(float(v)) for v in floats], pa.large_string())
    made["view"] = pa.array([repr(float(v)) for v in floats], pa.string_view())
    made["coded"] = pa.array(np.round(floats, 1)).dictionary_encode()
    if nulls:
        for name, array in made.items():
            values = [None if gap else v for v, gap in zip(array.to_pylist(), r.random(rows) < 0.2)]
            values = [np.float16(v) if name == "half" and v is not None else v for v in values]
            made[name] = pa.array(values, pa.float64() if name == "coded" else array.type)
    made["whole"] = pa.array(floats[::-1])  # a sample without any value is refused
    return made, {name: [None if v is None else float(v) for v in array.to_pylist()] for name, array in made.items()}


def with_labels(arrays, rows):
    labels = ["walk", "Zürich", "sit down"] * (rows // 3 + 1)
    return pa.table({"label": labels[:rows], **arrays}), labels[:rows]


def pyarrow_files():
    """pyarrow: every codec with pages of every size, both kinds of pages, with nulls and without; then every encoding."""
    codecs = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
    for codec, (rows, page), version, nulls in itertools.product(codecs, ((40, 100), (2_000, 100), (3_000, 1_000)), ("1.0", "2.0"), (False, True)):
        arrays, want = columns(rows, zlib.crc32(f"{codec}{rows}{version}{nulls}".encode()), nulls)
        table, labels = with_labels(arrays, rows)
        for dictionary in (False, True):
            path = f"{codec}-{rows}-{version}-{nulls}-{dictionary}.parquet"
            pq.write_table(table, path, compression=codec, data_page_version=version, use_dictionary=dictionary, write_batch_size=page,
                           data_page_size=page * 4, row_group_size=rows // 2 + 7, write_page_index=nulls, store_schema=not dictionary,
                           store_decimal_as_integer=dictionary)
            same("pyarrow " + path, path, want, labels)
    for codec in codecs:  # pages of 131,072 values
        rows = 131_072
        r = np.random.default_rng(5)
        values = {"double": r.normal(size=rows), "single": np.repeat(r.normal(size=rows // 4), 4).astype("f4"), "steps": np.arange(rows) // 1000 % 7}
        table, labels = with_labels(values, rows)
        pq.write_table(table, "wide.parquet", compression=codec, use_dictionary=False, data_page_size=1 << 24, write_batch_size=rows)
        same(f"pyarrow {codec}, pages of {rows}", "wide.parquet", values, labels)
    encodings = {"DELTA_BINARY_PACKED": ("int32_x", "int64_x", "counter", "uint32_x", "uint64_x", "int8_x"),
                 "BYTE_STREAM_SPLIT": ("single", "double", "half", "int32_x", "int64_x", "decimal38"),
                 "DELTA_BYTE_ARRAY": ("text", "large", "decimal38"), "DELTA_LENGTH_BYTE_ARRAY": ("text", "large"), "RLE": ("truth",),
                 "PLAIN": ("double", "text", "truth", "half")}
    for (encoding, names), codec, version, nulls in itertools.product(encodings.items(), ("none", "zstd", "lz4"), ("1.0", "2.0"), (False, True)):
        arrays, want = columns(1_000, 11, nulls)
        names = (*names, "whole")
        table, labels = with_labels({name: arrays[name] for name in names}, 1_000)
        pq.write_table(table, "encoded.parquet", compression=codec, data_page_version=version, use_dictionary=False, write_batch_size=128,
                       data_page_size=512, column_encoding={name: encoding for name in names[:-1]})
        same(f"pyarrow {encoding} {codec} {version} {nulls}", "encoded.parquet", {name: want[name] for name in names}, labels)


def other_writers():
    """polars, DuckDB and fastparquet: every codec, with nulls."""
    arrays, want = columns(900, 3, True)
    usual = ["int8_x", "int16_x", "int32_x", "int64_x", "uint8_x", "uint16_x", "uint32_x", "uint64_x", "counter", "single", "double", "steps", "truth",
             "text", "large", "decimal9", "decimal18", "decimal38", "whole"]
    table, labels = with_labels({name: arrays[name] for name in usual}, 900)
    want = {name: want[name] for name in usual}
    for codec, size in itertools.product(("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"), (100, 4096, None)):
        pl.from_arrow(table).write_parquet("polars.parquet", compression=codec, data_page_size=size, row_group_size=400)
        same(f"polars {codec} {size}", "polars.parquet", want, labels)
    duckdb.register("all_types", table)
    for codec, version in itertools.product(("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw"), ("v1", "v2")):
        duckdb.sql(f"COPY (FROM all_types) TO 'duck.parquet' (FORMAT parquet, CODEC '{codec}', PARQUET_VERSION {version}, ROW_GROUP_SIZE 300)")
        same(f"DuckDB {codec} {version}", "duck.parquet", want, labels)
    frame = table.select(["label", "int16_x", "int64_x", "double", "single", "text", "truth"]).to_pandas()
    frame[["int16_x", "int64_x"]] = frame[["int16_x", "int64_x"]].fillna(0).astype("int64")
    frame["truth"] = frame["truth"].fillna(False).astype(bool)
    frame["text"] = frame["text"].astype(object)
    frame["label"] = frame["label"].astype(object)
    plain = {name: frame[name] for name in frame.columns if name != "label"}
    for codec in (None, "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4", "LZ4_RAW"):
        fastparquet.write("fast.parquet", frame, compression=codec, row_group_offsets=[0, 500])
        same(f"fastparquet {codec}", "fast.parquet", plain, labels)


def fixed_types():
    """Types that are names, and types that no number is made of."""
    rows, labels = 12, ["walk", "Zürich", "sit down"] * 4
    ids = [uuid.UUID(int=i + 1) for i in range(rows)]
    x = np.arange(rows) * 7 % 5 + 0.5
    for codec in ("none", "lz4"):
        pq.write_table(pa.table({"sample": pa.array([i.bytes for i in ids], pa.uuid()), "label": labels, "x": x}), "uuid.parquet", compression=codec)
        made, report = run("uuid.parquet", "--layout", "samples")
        if made is None or list(made["sample_names"]) != [str(i) for i in ids]:
            fault(f"UUID {codec}", report)
    width = max(len(label.encode()) for label in labels) + 2
    padded = pa.array([label.encode().ljust(width, b"\0") for label in labels], pa.binary(width))
    pq.write_table(pa.table({"label": padded, "x": x}), "fixed.parquet")
    same("texts of fixed length", "fixed.parquet", {"x": x}, labels)
    pq.write_table(pa.table({"label": pa.array([label.encode() for label in labels], pa.binary()), "x": x}), "binary.parquet")
    same("labels of binary", "binary.parquet", {"x": x}, labels)
    raw = {"binary": pa.array([b"49"] * rows, pa.binary()), "fixed": pa.array([b"12"] * rows, pa.binary(2)),
           "wide": pa.array([(49 + i).to_bytes(16, "little") for i in range(rows)], pa.binary(16))}
    for name, array in raw.items():
        pq.write_table(pa.table({"label": labels, "x": x, name: array}), "raw.parquet")
        refused(f"{name} as a number", "raw.parquet", f'column {name}: it holds bytes whose meaning the file does not say', "--layout", "samples")
        same(f"{name} left out", "raw.parquet", {"x": x}, labels, "--leave", name)
    pq.write_table(pa.table({"sample": raw["wide"], "label": labels, "x": x}), "raw.parquet")
    refused("large integers as names", "raw.parquet", "column sample: it holds bytes", "--layout", "samples")
    duckdb.sql("COPY (SELECT label, x, (x * 2)::HUGEINT AS h FROM (SELECT unnest(range(12)) AS i, i * 7 % 5 + 0.5 AS x, ['a', 'b'][i % 2 + 1] AS label)) "
               "TO 'huge.parquet'")
    same("HUGEINT", "huge.parquet", {"x": x, "h": x * 2}, "ab" * 6)
    duckdb.sql("COPY (SELECT ['a', 'b'][i % 2 + 1] AS label, to_hours(i) AS gap FROM (SELECT unnest(range(12)) AS i)) TO 'interval.parquet'")
    refused("INTERVAL", "interval.parquet", "column gap: it holds INTERVAL", "--layout", "samples")
    pl.DataFrame({"label": labels, "x": x, "i": pl.Series(range(rows), dtype=pl.Int128)}).write_parquet("int128.parquet")
    refused("Int128", "int128.parquet", "column i: it holds bytes", "--layout", "samples")


def recordings(**more):
    """A table of four recordings of 20 time points, 20 ms apart."""
    more.setdefault("time", [i % 20 * 0.02 for i in range(80)])
    return {"sample": [f"s{i // 20}" for i in range(80)], "label": ["ab"[i // 20 % 2] for i in range(80)], **more}


def series(name, path, want, *options):
    """Compares recordings with an array [timepoints of all, sensors, axes]."""
    global checked
    checked += 1
    made, report = run(path, *options)
    if made is None:
        return fault(name, report)
    got = made["series"] if made["series"].ndim == 4 else made["series"][..., None]
    got = np.moveaxis(got, 2, 1).reshape(80, *got.shape[1:2], got.shape[3])
    if got.shape != np.shape(want) or got.tobytes() != np.asarray(want, "f4").tobytes():
        fault(name, f"{made['sensor_names']} {got.shape} {got[:2].tolist()}, written {np.asarray(want)[:2].tolist()}")


def lists():
    """Lists of one length in each row are as many axes."""
    values = np.random.default_rng(0).normal(size=(80, 2, 3))
    hip, hand = values[:, 0].tolist(), values[:, 1].tolist()
    for codec, version in itertools.product(("none", "snappy", "lz4"), ("1.0", "2.0")):
        for name, kind in {"list": pa.list_(pa.float64()), "large_list": pa.large_list(pa.float64()), "fixed_size_list": pa.list_(pa.float64(), 3)}.items():
            table = pa.table(recordings(hip=pa.array(hip, kind), hand=pa.array(hand, kind)))
            pq.write_table(table, "list.parquet", compression=codec, data_page_version=version, row_group_size=33, write_batch_size=10, data_page_size=64)
            series(f"{name} {codec} {version}", "list.parquet", values)
            bare = table.replace_schema_metadata(None)
            pq.write_table(bare, "list.parquet", compression=codec, store_schema=False, use_compliant_nested_type=False)
            series(f"{name} {codec} without Arrow's schema", "list.parquet", values)
    frame = pl.DataFrame(recordings(hip=pl.Series(hip, dtype=pl.Array(pl.Float64, 3)), hand=pl.Series(hand, dtype=pl.List(pl.Float64))))
    frame.write_parquet("list.parquet")
    series("polars Array and List", "list.parquet", values)
    duckdb.register("table_of_lists", frame.to_arrow())
    duckdb.sql("COPY (SELECT sample, time, label, hip::DOUBLE[3] AS hip, hand::DOUBLE[] AS hand FROM table_of_lists) TO 'list.parquet'")
    series("DuckDB DOUBLE[3] and DOUBLE[]", "list.parquet", values)
    records = {"hip": [dict(zip("xyz", row)) for row in hip], "hand": [dict(zip("xyz", row)) for row in hand]}
    for version in ("1.0", "2.0"):
        pq.write_table(pa.table(recordings(**records)), "list.parquet", data_page_version=version)
        series("records in records " + version, "list.parquet", values)
    joints = pa.array(values.tolist(), pa.list_(pa.list_(pa.float64(), 3), 2))
    pq.write_table(pa.table(recordings(joint=joints)), "list.parquet")
    series("lists of lists", "list.parquet", values)
    bodies = [[dict(zip("xyz", point)) for point in points] for points in values.tolist()]
    pq.write_table(pa.table(recordings(joint=bodies)), "list.parquet")
    series("lists of records", "list.parquet", values)
    gaps = [None if i == 9 else [v if i != 5 else None for v in row] for i, row in enumerate(hip)]
    filled = [[(hip[i - 1][k] + hip[i + 1][k]) / 2 for k in range(3)] if i in (5, 9) else row for i, row in enumerate(hip)]
    pq.write_table(pa.table(recordings(hip=pa.array(gaps, pa.list_(pa.float64(), 3)))), "list.parquet")
    made, report = run("list.parquet")
    if made is None or report["filled"]["values"] != 6 or not np.allclose(made["series"][:, 0].reshape(80, 3), filled, atol=1e-6):
        fault("lists with nulls", report)
    ragged = [row[: 1 + i % 3] for i, row in enumerate(hip)]
    pq.write_table(pa.table(recordings(hip=ragged, x=values[:, 0, 0])), "list.parquet")
    refused("lists of several lengths", "list.parquet", "row 2: column hip.0: it holds a list of 2 values, and in the rows before lists of 1")
    series("lists of several lengths left out", "list.parquet", values[:, :1, :1], "--leave", "hip")


def times():
    """Times of each type, 20 ms apart."""
    x = np.random.default_rng(0).normal(size=80)
    ticks = np.array([i % 20 * 20 for i in range(80)])
    begin = datetime.datetime(2024, 5, 31, 12, 0, 0, 0)
    stamps = [begin + datetime.timedelta(milliseconds=int(t)) for t in ticks]
    kinds = {}
    for unit, each in (("ms", 1), ("us", 1_000), ("ns", 1_000_000)):
        kinds[f"timestamp {unit}"] = pa.array(stamps, pa.timestamp(unit))
        kinds[f"timestamp {unit} in a zone"] = pa.array(stamps, pa.timestamp(unit, "Europe/Zurich"))
        kinds[f"duration {unit}"] = pa.array(ticks * each, pa.duration(unit))
        kinds[f"time {unit}"] = pa.array((ticks * each).astype("i4" if unit == "ms" else "i8"), pa.time32("ms") if unit == "ms" else pa.time64(unit))
    kinds["seconds"] = pa.array(ticks / 1000)
    for (name, array), codec in itertools.product(kinds.items(), ("snappy", "lz4")):
        pq.write_table(pa.table(recordings(time=array, x=x)), "time.parquet", compression=codec)
        timed(f"pyarrow {name} {codec}", "time.parquet", 50, in_seconds=name != "seconds")
    coarse = {"timestamp s": pa.array([s.replace(microsecond=0) + datetime.timedelta(seconds=i % 20 * 5) for i, s in enumerate(stamps)], pa.timestamp("s")),
              "duration s": pa.array(ticks // 4, pa.duration("s")), "time s": pa.array((ticks // 4).astype("i4"), pa.time32("s"))}
    for name, array in coarse.items():
        pq.write_table(pa.table(recordings(time=array, x=x)), "time.parquet")
        timed("pyarrow " + name, "time.parquet", 0.2)
    days = pa.array([datetime.date(2024, 2, 20) + datetime.timedelta(days=i % 20) for i in range(80)], pa.date32())
    pq.write_table(pa.table(recordings(time=days, x=x)), "time.parquet")
    timed("pyarrow date32", "time.parquet", 1 / 86_400)
    pq.write_table(pa.table(recordings(time=kinds["timestamp ns"], x=x)), "time.parquet", use_deprecated_int96_timestamps=True)
    timed("pyarrow INT96", "time.parquet", 50)
    frame = pl.DataFrame(recordings(x=x)).with_columns(time=pl.Series(ticks * 1000).cast(pl.Duration("us")))
    frame.write_parquet("time.parquet", compression="lz4")
    timed("polars Duration", "time.parquet", 50)
    table = pd.DataFrame(recordings(time=pd.to_timedelta(ticks, unit="ms"), x=x))
    table.to_parquet("time.parquet", index=False)
    timed("pandas timedelta", "time.parquet", 50)
    for column in ("sample", "label"):
        table[column] = table[column].astype(object)
    fastparquet.write("time.parquet", table)
    timed("fastparquet timedelta", "time.parquet", 50)
    table["time"] = pd.to_datetime(stamps).as_unit("ns")  # fastparquet takes microseconds for these in INT96
    for form in ("int64", "int96"):
        fastparquet.write("time.parquet", table, times=form)
        timed("fastparquet " + form, "time.parquet", 50)
    duckdb.register("stamps", pa.table(recordings(time=kinds["timestamp us"], x=x)))
    for kind in ("TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"):
        duckdb.sql(f"COPY (SELECT * REPLACE (time::{kind} AS time) FROM stamps) TO 'time.parquet'")
        timed("DuckDB " + kind, "time.parquet", 50)


def timed(name, path, rate, in_seconds=True):
    """Compares the time points in a second."""
    global checked
    checked += 1
    made, report = run(path)
    if made is None or abs(report["timepoints"]["rate"] / rate - 1) > 1e-4 or in_seconds and "as time in seconds" not in report["read_as"]:
        fault(name, report)


def folders():
    """Folders of classes, and folders by which Arrow parts a table."""
    global checked
    checked += 1
    x = np.random.default_rng(0).normal(size=80)
    for i in range(4):
        os.makedirs(f"classes/{'ab'[i % 2]}", exist_ok=True)
        pq.write_table(pa.table({"x": x[20 * i: 20 * i + 20]}), f"classes/{'ab'[i % 2]}/s{i}.parquet", compression="lz4")
    made, report = run("classes")
    if made is None or sorted(made["sample_names"]) != ["s0.parquet", "s1.parquet", "s2.parquet", "s3.parquet"]:
        fault("folders of classes", report)
    table = pa.table({"sample": [f"s{i // 20}" for i in range(80)], "time": [i % 20 * 0.02 for i in range(80)], "x": x,
                      "label": [["walk", "Zürich 1"][i // 20 % 2] for i in range(80)], "person": [f"p{i // 20}" for i in range(80)]})
    pq.write_to_dataset(table, "parts", partition_cols=["label"])
    made, report = run("parts", "--leave", "person")
    if made is None or [made["class_names"][k] for k in made["labels"]] != ["Zürich 1"] * 2 + ["walk"] * 2:
        fault("parts of a table by classes", report)
    pq.write_to_dataset(table, "persons", partition_cols=["person"])
    refused("parts of a table by persons", "persons", "is a part of a table by its column person, not a class")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in (fixed_types, lists, times, folders, other_writers, pyarrow_files):
            before = checked
            part()
            print(f"{part.__name__}: {checked - before} files", flush=True)
        os.chdir("/")
    print(f"Parquet: {checked} files, {len(wrong)} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
