.PHONY: check test bench fuzz

check: ## format, vet, lint
	.ci/run check

test: ## every test, on XLA and on pure Go
	go test ./...

bench: ## training step and inference
	go test -run '^$$' -bench . -benchmem ./benchmarks/...

fuzz: ## every parser against made-up input, a minute each; TIME=10m for longer
	.ci/fuzz $(or $(TIME),1m)
