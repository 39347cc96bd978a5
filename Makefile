.PHONY: check test bench

check: ## format, vet, lint
	.ci/run check

test: ## every test, on XLA and on pure Go
	go test ./...

bench: ## training step and inference
	go test -run '^$$' -bench . -benchmem ./benchmarks/...
