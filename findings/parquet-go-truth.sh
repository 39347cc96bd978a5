#!/usr/bin/env bash
# parquet-go reads runs of truth values wrongly.
#
# Versions: github.com/parquet-go/parquet-go v0.32.0; the file by pyarrow 26.0.1 with data_page_version="2.0".
# Seen: 100 times false and then 300 times true come back with 37 times true, each eighth value of the run, without an error. In pages of version 2
# pyarrow writes truth values by the RLE encoding; parquet-go repeats the byte 1 for a run, where eight bits should be set.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q numpy==2.3.5 pyarrow==26.0.1
py/bin/python - <<'END'
import pyarrow as pa, pyarrow.parquet as pq
table = pa.table({"x": [False] * 100 + [True] * 300})
for version in ("1.0", "2.0"):
    pq.write_table(table, f"pages-{version}.parquet", data_page_version=version)
    assert pq.read_table(f"pages-{version}.parquet").equals(table)
END
cat >main.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

func main() {
	for _, name := range os.Args[1:] {
		rows, err := parquet.ReadFile[struct {
			X *bool `parquet:"x,optional"`
		}](name)
		truths := 0
		for _, row := range rows {
			if *row.X {
				truths++
			}
		}
		fmt.Println(name, len(rows), "rows,", truths, "true, error", err)
	}
}
END
go mod init finding 2>/dev/null
go get github.com/parquet-go/parquet-go@v0.32.0 2>/dev/null
go run . pages-1.0.parquet pages-2.0.parquet | tee seen
diff seen - <<'END'
pages-1.0.parquet 400 rows, 300 true, error <nil>
pages-2.0.parquet 400 rows, 37 true, error <nil>
END
