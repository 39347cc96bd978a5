//go:build !plain

package main

import _ "github.com/clusterpool/ccp/internal/heap" // as the program has it
