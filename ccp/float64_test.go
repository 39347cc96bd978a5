package ccp_test

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Levels in float64 may have held neighbourhoods with slots of every kind, and residual blocks. In training, held
// again, and frozen they compute what levels in float32 do.
func TestHeldLevelsInFloat64(t *testing.T) {
	matrix, err := affinity.Grid(4, 4, 8)
	require.NoError(t, err)
	backend := backendtest.Go(t)
	for _, slots := range []string{"rank", "directed", "random"} {
		for _, stem := range []bool{false, true} {
			t.Run(fmt.Sprint(slots, stem), func(t *testing.T) {
				var outputs [][]float64
				for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
					store := newStore(1)
					store.SetParam("/ccp_slots", slots)
					prepare := func() *ccp.Preparation {
						p := ccp.Prepare(matrix).Level(4, 4).Level(1, 3).Around(3, 1)
						if slots == "directed" {
							p.Directed(1, 2)
						}
						return p
					}
					network := func(scope *model.Scope, x *Node) *Node {
						a := ccp.FromMatrix(scope.At("graph"), x.Graph(), matrix.Normalized(), dtype)
						if stem {
							x = prepare().Stem(scope, x, 3, 1)
						}
						x, a = ccp.New(scope.In("level_1"), x, a, 4, 5).Neighbours(4).Blocks(1).Done()
						x, _ = ccp.New(scope.In("level_2"), x, a, 1, 6).Neighbours(3).Done()
						return x
					}
					call := func(training bool) {
						out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
							scope.Store().SetTraining(g, training)
							return ConvertDType(network(scope, randomSignal(g, dtype, 3, 16, 2)), dtypes.Float64)
						})
						require.NoError(t, err)
						outputs = append(outputs, tensors.MustCopyFlatData[float64](out))
					}
					require.NoError(t, prepare().Hold(backend, store.RootScope()))
					call(true)
					require.NoError(t, prepare().Hold(backend, store.RootScope()), "the memberships are there")
					call(true)
					freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtype, 1, 16, 2), network)
					require.NoError(t, err)
					_, err = freezer.Freeze()
					require.NoError(t, err)
					freezer.Close()
					_, err = prepare().Read(store.RootScope(), 0)
					require.NoError(t, err)
				}
				for i := range 2 {
					assert.InDeltaSlice(t, outputs[i], outputs[2+i], 1e-3)
				}
			})
		}
	}
}
