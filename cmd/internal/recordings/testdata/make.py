"""Writes the Parquet files of this folder, which hold the values of parquet_files_test.go. Run in this folder; needs pyarrow 26.0.1, polars 2.1.0,
DuckDB 2.0.1, fastparquet 2026.9.0 with pandas 3.1.1, and Node with @dsnp/parquetjs 1.8.8. rust-hadoop.parquet is the same table by the crate parquet
57.3.2: ArrowWriter with WriterProperties::builder().set_compression(Compression::LZ4).set_dictionary_enabled(false).
"""
import json
import subprocess
import uuid

import duckdb
import fastparquet
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 400  # two recordings of 200 time points, 20 ms apart
tick = [i % 200 * 20 for i in range(ROWS)]
x = [(i * 7919 % 10007 - 5000) / 64 for i in range(ROWS)]
table = {"sample": [f"s{i // 200}" for i in range(ROWS)], "label": [("walk", "Zürich")[i // 200] for i in range(ROWS)],
         "time": [t / 1000 for t in tick], "x": x}


def other(**columns):
    return pa.table({**table, **columns})


pq.write_table(other(), "lz4.parquet", compression="lz4", use_dictionary=False)
pl.DataFrame(table).write_parquet("polars.parquet", compression="lz4")
duckdb.register("made", other(whole=pa.array([4_000_000_000 + i * 7 % 400 for i in range(ROWS)], pa.uint32())))
duckdb.sql("COPY (FROM made) TO 'duckdb.parquet' (FORMAT parquet, CODEC 'lz4_raw', PARQUET_VERSION v2)")
frame = pd.DataFrame(table).astype({"sample": object, "label": object})
for codec in ("LZ4", "LZ4_RAW"):
    fastparquet.write(f"fastparquet-{codec.lower()}.parquet", frame, compression=codec)
frame["time"] = pd.to_datetime([1_700_000_000_000 + t for t in tick], unit="ms").as_unit("ns")
fastparquet.write("int96.parquet", frame, times="int96")
frame["time"] = pd.to_timedelta(tick, unit="ms")
fastparquet.write("fastparquet-timedelta.parquet", frame)
pq.write_table(other(time=pa.array(tick, pa.duration("ms"))), "duration.parquet")
pq.write_table(other(x=[v > 0 for v in sorted(x)]), "truth.parquet", data_page_version="2.0")
points = [[v, v + 1, v + 2] for v in x]
pq.write_table(other(x=pa.array(points, pa.list_(pa.float64(), 3))), "list.parquet", row_group_size=33, write_batch_size=10, data_page_size=64,
               data_page_version="2.0")
pq.write_table(other(x=[row[: 1 + i // 7 % 3] for i, row in enumerate(points)], y=x), "ragged.parquet", compression="zstd")
pq.write_table(other(sample=pa.array([uuid.UUID(int=1 + i // 200).bytes for i in range(ROWS)], pa.uuid())), "uuid.parquet")
pq.write_table(other(label=pa.array([v.encode().ljust(9, b"\0") for v in table["label"]], pa.binary(9)),
                     wide=pa.array([(49 + i % 9).to_bytes(16, "little") for i in range(ROWS)], pa.binary(16))), "fixed.parquet")
series = [[[float(100 * i + 10 * t + c) for c in range(3)] for t in range(5)] for i in range(4)]
turned = [[list(row) for row in zip(*sample)] for sample in series]
for name, lists, kind in (("inner", series, pa.list_(pa.list_(pa.float64(), 3))), ("outer", turned, pa.list_(pa.list_(pa.float64()), 3))):
    pq.write_table(pa.table({"acc": pa.array(lists, kind), "label": list("abab")}), f"lists-{name}-fixed.parquet")
script = """
const parquet = require('@dsnp/parquetjs'), rows = JSON.parse(require('fs').readFileSync(0));
(async () => {
  const schema = new parquet.ParquetSchema({sample: {type: 'UTF8'}, label: {type: 'UTF8'}, time: {type: 'DOUBLE'}, x: {type: 'DOUBLE', optional: true}});
  const writer = await parquet.ParquetWriter.openFile(schema, 'parquetjs.parquet');
  for (const row of rows) await writer.appendRow(row);
  await writer.close();
})();
"""
rows = [dict(zip(table, row)) for row in zip(*table.values())]
subprocess.run(["node", "-e", script], input=json.dumps(rows), text=True, check=True)
