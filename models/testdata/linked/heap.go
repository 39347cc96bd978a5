//go:build heap

package main

import _ "github.com/clusterpool/ccp/internal/heap/keep"
