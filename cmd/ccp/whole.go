//go:build !lean

package main

import (
	"errors"

	_ "github.com/clusterpool/ccp/benchmarks/paper"
	"github.com/clusterpool/ccp/cmd/internal/serve"
)

// namedTwice reports that checkpoints to serve have one name.
func namedTwice(err error) bool { return errors.Is(err, serve.ErrNames) }
