//go:build !cgo

package backend

import (
	"errors"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// errNoXLA says why this program has no XLA, and what to do.
var errNoXLA = errors.New("this program was built without cgo, which XLA needs; " +
	"build it with CGO_ENABLED=1 and a C compiler, or compute in pure Go (backend go)")

func openPlugin(plugin, string) (compute.Backend, Info, error) { return nil, Info{}, errNoXLA }

// Reuse is for XLA, see xla.go.
func Reuse(*graph.Node, int) bool { return false }
