#!/usr/bin/env bash
# parquet-go reads other values than were written from pages of LZ4_RAW.
#
# Versions: github.com/parquet-go/parquet-go v0.32.0; the file by pyarrow 26.0.1.
# Seen: of 800 doubles that pyarrow packed by LZ4 (LZ4_RAW in the file), parquet-go returns 799 wrong ones, without an error:
# what its buffer held before. The same values packed by zstd are right. Column.decompress keeps what Decode returns only if its length is not the one announced, but the codec
# allocates a buffer of its own for pages that shrink to more than a third of their size.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q numpy==2.3.5 pyarrow==26.0.1
py/bin/python - <<'END'
import pyarrow as pa, pyarrow.parquet as pq
table = pa.table({"x": [(i * 2654435761 % 4294967296) / 7 for i in range(800)]}, pa.schema([pa.field("x", pa.float64(), nullable=False)]))
for codec in ("zstd", "lz4"):
    pq.write_table(table, codec + ".parquet", compression=codec, use_dictionary=False)
    assert pq.read_table(codec + ".parquet").equals(table)
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
			X float64 `parquet:"x"`
		}](name)
		wrong := 0
		for i, row := range rows {
			if row.X != float64(i*2654435761%4294967296)/7 {
				wrong++
			}
		}
		fmt.Println(name, len(rows), "rows,", wrong, "wrong, error", err)
	}
}
END
go mod init finding 2>/dev/null
go get github.com/parquet-go/parquet-go@v0.32.0 2>/dev/null
go run . zstd.parquet lz4.parquet | tee seen
diff seen - <<'END'
zstd.parquet 800 rows, 0 wrong, error <nil>
lz4.parquet 800 rows, 799 wrong, error <nil>
END
