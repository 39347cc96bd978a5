.PHONY: check quick test bench fuzz suite release
PYTHON ?= python3
export GOTOOLCHAIN ?= auto
SUITE ?= suite

check: ## format, vet, lint
	.ci/run check

quick: ## after each edit: the tests that take seconds, on pure Go, without a browser or a download
	CGO_ENABLED=0 CCP_OFFLINE=1 GOMLX_BACKEND= go test -short -vet=off -skip '^ExampleTrain$$' ./...

test: ## every test, on XLA and on pure Go
	go test ./...

bench: ## training step and inference
	go test -run '^$$' -bench . -benchmem ./benchmarks/...

fuzz: ## every parser against made-up input, a minute each; TIME=10m for longer
	.ci/fuzz $(or $(TIME),1m)

release: ## the program for each platform, with checksums, SBOM, licences and manual, in a new folder dist
	.ci/release

suite: ## the own-data sets, our models and others on them, one table; needs CCP_DATA (benchmarks/README.md)
	$(PYTHON) benchmarks/suite/make.py --out $(SUITE)
	go run ./cmd/ccp compare --data $(SUITE) --seeds 3 --models ccp,transforms,chebyshev,gcn,fc,softmax,svm --folder $(SUITE)/runs
	$(PYTHON) benchmarks/suite/anchors.py --out $(SUITE)/anchors.csv $(SUITE)/*.npz
	$(PYTHON) benchmarks/suite/table.py $(SUITE)/runs/compare.csv $(SUITE)/anchors.csv
