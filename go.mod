module github.com/clusterpool/ccp

go 1.27.0

require (
	github.com/chromedp/cdproto v0.159.0 // the report's page is tested in a real browser; for tests only
	github.com/chromedp/chromedp v0.23.0 // the report's page is tested in a real browser; for tests only
	github.com/gofrs/flock v0.13.2 // file locks, so that two processes do not install a plugin or write a checkpoint at once
	github.com/gomlx/compute v0.1.14 // the backend interface of GoMLX, data types, and the pure Go backend
	github.com/gomlx/go-xla v0.4.13 // the XLA backend (PJRT plugins, loaded when the program runs) and its installer. Time benchmarks/step before and after a new version: v0.4.13 made gradients slow, and no test saw it
	github.com/gomlx/gomlx v0.28.16 // computation graphs, automatic differentiation, optimisers, training loop, checkpoints
	github.com/hbollon/go-edlib v1.7.0 // the distance of a mistyped word from the known ones
	github.com/klauspost/compress v1.20.4 // gzip of the server's responses, by its package gzhttp
	github.com/mattn/go-runewidth v0.0.31 // the width of names in tables, where a Chinese character takes two columns
	github.com/parquet-go/parquet-go v0.32.0 // ccp data import reads Parquet tables; brings three modules of compression
	github.com/pierrec/lz4/v4 v4.1.21 // the blocks of LZ4 in Parquet, which parquet-go brings and unpacks wrongly
	github.com/prometheus/client_golang v1.25.0 // the server's metrics in Prometheus' format
	github.com/spf13/cobra v1.10.2 // sub-commands, flags and help; man pages of a release, by a test, with go-md2man
	github.com/spf13/pflag v1.0.10 // the type of cobra's flags, for errors about them
	github.com/stretchr/testify v1.12.1 // assertions in tests
	github.com/xuri/excelize/v2 v2.11.1 // tests write .xlsx workbooks with it; the program has a reader of its own
	golang.org/x/sys v0.50.0 // whether the processor has AVX2, for the inner loops of transforms; x/term brings it in any case
	golang.org/x/term v0.48.0 // whether the output is a terminal, for progress that is drawn over
	golang.org/x/text v0.44.0 // tables in UTF-16 and Windows-1252, as spreadsheets write them, and XML in others; names in one form of Unicode
	gonum.org/v1/gonum v0.17.0 // means and deviations of studies; principal components for the layout of graphs
	gonum.org/v1/plot v0.17.0 // pictures of clusters, PNG and SVG
	google.golang.org/protobuf v1.36.12 // protowire, the encoding of ONNX and TensorBoard files
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/gomlx/bsplines v0.2.0 // indirect; GoMLX's KAN layer, which a test of resumption trains; for tests only
	github.com/gomlx/exceptions v0.0.3 // indirect; of bsplines; for tests only
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/richardlehane/mscfb v1.0.9 // indirect
	github.com/richardlehane/msoleps v1.0.6 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/tiendc/go-deepcopy v1.7.2 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/xuri/efp v0.0.3-0.20260924042702-217b81952dec // indirect
	github.com/xuri/nfp v0.0.2-0.20250530014748-2ddeb826f9a9 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/image v0.44.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)
