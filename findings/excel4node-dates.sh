#!/usr/bin/env bash
# excel4node 1.8.2, cell.date: a date is stored with eight decimals of a day, which are 0.86 ms, so that times an eighth of a second apart
# are 0.0003 s off, whatever the number format shows.
# Seen with excel4node 1.8.2 on Node.js 20. Exits with 1 if it behaves otherwise, 0 if it does as written here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund excel4node@1.8.2 jszip@3.10.1
TZ=UTC node -e '
const excel = require("excel4node"), zip = require("jszip"), fs = require("fs")
console.log("excel4node", require("excel4node/package.json").version)
const book = new excel.Workbook({dateFormat: "yyyy-mm-dd hh:mm:ss.000"})
book.addWorksheet("a").cell(1, 1).date(new Date(Date.UTC(2024, 4, 31, 12, 0, 0, 125)))
book.writeToBuffer().then(b => zip.loadAsync(b)).then(z => z.file("xl/worksheets/sheet1.xml").async("string")).then(text => {
  const stored = text.match(/<v>([^<]*)<\/v>/)[1], exact = 45443.5 + 0.125 / 86400
  console.log("written 45443.500001446757 (12:00:00.125), stored", stored, "which is", ((stored - 45443.5) * 86400).toFixed(6), "s after noon")
  process.exit(Math.abs(stored - exact) * 86400 > 1e-4 ? 0 : 1)
})'
