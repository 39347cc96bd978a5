//go:build !plain

package main

import (
	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/internal/heap"
)

func init() { // as the program has it
	benchmarks.Compile, benchmarks.Compiled = heap.Reserve, heap.Release
}
