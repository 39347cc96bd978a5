package study

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

// rateFile is the file with a finished run's rate of inference.
const rateFile = "rate.json"

// Rate says how fast a trained model classifies.
type Rate struct {
	Batch     int     `json:"batch"`
	PerSecond float64 `json:"signals_per_second"` // from the median of the batches' times
}

// measureRate times the classifier in dir on batches of 64 signals, for half a second and at least five batches.
func measureRate(backend compute.Backend, dir string) error {
	c, err := models.Load(dir, models.WithBackend(backend))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	const batch = 64
	values := make([]float32, batch*c.Spec.Nodes*c.Spec.Channels)
	for i := range values {
		values[i] = float32(i*i%251) / 251 // anything but zeros will do
	}
	signals := tensors.FromFlatDataAndDimensions(values, batch, c.Spec.Nodes, c.Spec.Channels)
	defer signals.MustFinalizeAll()
	var times []float64
	for begin := time.Now(); len(times) < 6 || time.Since(begin) < 500*time.Millisecond; {
		start := time.Now()
		out, err := c.Run(signals)
		if err != nil {
			return err
		}
		out.MustFinalizeAll()
		times = append(times, time.Since(start).Seconds())
	}
	times = times[1:] // without the one that compiled
	slices.Sort(times)
	return files.WriteJSON(filepath.Join(dir, rateFile), Rate{batch, batch / times[len(times)/2]})
}
