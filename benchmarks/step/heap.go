//go:build !plain

package main

import (
	"github.com/clusterpool/ccp/benchmarks/paper/speed"
	"github.com/clusterpool/ccp/internal/heap"
	_ "github.com/clusterpool/ccp/internal/heap/keep"
)

func init() { // as the program has it
	speed.Compile, speed.Compiled = heap.Reserve, heap.Release
}
