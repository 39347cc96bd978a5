#!/usr/bin/env bash
# fastparquet stores pandas' usual times a thousand times too early, if it is to write INT96.
#
# Versions: fastparquet 2026.9.0, pandas 3.1.1; read back by pyarrow 26.0.1 and by fastparquet itself.
# Seen: 2024-05-31 12:00 of datetime64[us], which pandas 3 makes of Python's times, is 1970-01-20 20:59:16.8 in the file with times="int96", and
# so is it read back; with datetime64[ns], and with times="int64", it is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q numpy==2.3.5 pandas==3.1.1 pyarrow==26.0.1 fastparquet==2026.9.0
py/bin/python - >seen <<'END'
import datetime
import fastparquet, pandas as pd, pyarrow.parquet as pq
usual = pd.DataFrame({"time": pd.to_datetime([datetime.datetime(2024, 5, 31, 12)])})
for unit in ("us", "ns"):
    for form in ("int64", "int96"):
        frame = usual.assign(time=usual["time"].dt.as_unit(unit))
        fastparquet.write("a.parquet", frame, times=form)
        print(usual["time"].dtype, unit, form, pq.read_table("a.parquet")["time"][0].as_py(), fastparquet.ParquetFile("a.parquet").to_pandas()["time"][0])
END
cat seen
diff seen - <<'END'
datetime64[us] us int64 2024-05-31 12:00:00 2024-05-31 12:00:00
datetime64[us] us int96 1970-01-20 20:59:16.800000 1970-01-20 20:59:16.800000
datetime64[us] ns int64 2024-05-31 12:00:00 2024-05-31 12:00:00
datetime64[us] ns int96 2024-05-31 12:00:00 2024-05-31 12:00:00
END
