package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
)

// Footprint is what a training step needs, found without training.
type Footprint struct {
	Config     Config `json:"config"`
	Data       string `json:"data"`
	Model      string `json:"model"`
	Backend    string `json:"backend"`
	Devices    int    `json:"devices"`
	Batch      int    `json:"batch"`
	Parameters int    `json:"parameters"`       // trainable values
	Fitted     bool   `json:"fitted,omitempty"` // in one pass, so that there is no step to measure
	// Weights is what weights, their average, Adam's averages and the batch take on each device. Activations is an
	// estimate of a step's temporary memory: the activations that are known, twice because of their gradients. Input
	// is what the batches prepared ahead take on the host.
	Weights     int64 `json:"weights_bytes"`
	Activations int64 `json:"activations_bytes"`
	Input       int64 `json:"input_bytes"`
	// Largest are the largest activations that are known, in descending order.
	Largest []Sized `json:"largest"`
}

// Sized is a tensor by its name.
type Sized struct {
	Name  string `json:"name"`
	Shape string `json:"shape"` // such as (Float32)[10000 2048]
	Bytes int64  `json:"bytes"` // on each device
}

func sized(name string, s shapes.Shape) Sized { return Sized{name, s.String(), s.ByteSize()} }

// ahead is the number of batches that exist at a time: the queue of package datasets, the batch that is made and the
// batch in use.
const ahead = 6

// DryRun tells the configuration of what is asked, and about how much memory its steps need, if it has any. It
// trains, compiles and writes nothing. A nil backend is the best that is installed.
func DryRun(ctx context.Context, b compute.Backend, asked Patch, opts Options) (f Footprint, err error) {
	p, err := draft(asked, opts.Data)
	if err != nil {
		return f, err
	}
	if b == nil {
		b, err = backend.Shared(p.DefaultBackend())
		if err != nil {
			return f, err
		}
	}
	d, err := p.LoadData(ctx, b, opts)
	if err != nil {
		return f, err
	}
	c, spec, d, err := p.resolve(d)
	if err != nil {
		return f, asSettingsError(err)
	}
	err = cmp.Or(checkDevices(b, opts.Devices, c.Batch), opts.checkAblate(c, spec, d))
	if err != nil {
		return f, asSettingsError(err)
	}
	if d.Form != nil {
		c.Frames = d.Form.Frames // as the data has decided
	}
	if registered(p.Model).Fitted {
		return Footprint{Config: c, Data: d.Name, Model: c.Model, Backend: opts.Backend, Fitted: true}, nil
	}
	counted, err := models.NewClassifier(b, models.Metadata{Spec: spec}, d.Affinity)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, counted.Close()) }()
	devices := max(1, opts.Devices)
	f = Footprint{Config: c, Data: d.Name, Model: c.Model, Backend: opts.Backend, Devices: devices, Batch: c.Batch,
		Parameters: counted.Parameters(), Largest: largest(model.NewStore(), spec, c.Batch/devices)}
	input, copies := inputOf(c, spec).ByteSize(), 3 // Adam has two averages of each weight's gradient
	if c.Average > 0 {
		copies++
	}
	f.Weights, f.Input = int64(4*copies*f.Parameters)+input/int64(devices), ahead*input
	for _, a := range f.Largest {
		f.Activations += 2 * a.Bytes
	}
	f.Largest = f.Largest[:min(8, len(f.Largest))]
	return f, nil
}

// activations lists the largest tensors of a training step besides the variables, for batches of that many samples.
// They are the gathered neighbourhoods of each filter, and learned memberships. Links, ranks and all gradients have
// such sizes again. Only a network with clusters has a list.
func activations(s models.Spec, batch int) (all []Sized) {
	if !s.Network().Clusters {
		return nil
	}
	dtype := dtypes.Float32
	if s.Options.DType == nn.BFloat16 {
		dtype = dtypes.BFloat16
	}
	for _, l := range s.Layers() {
		shape := shapes.Make(dtype, batch, l.Clusters, l.Neighbours, l.Channels)
		all = append(all, sized(l.Part+"'s gathered neighbourhoods", shape))
		if l.Pools && s.Learns() {
			shape := shapes.Make(dtypes.Float32, l.Inputs, cmp.Or(l.Candidates, l.Clusters))
			all = append(all, sized(l.Part+"'s memberships", shape))
		}
	}
	return all
}

// largest returns all variables of a store and the activations of a device's share of a batch, the largest first.
func largest(store *model.Store, spec models.Spec, batch int) []Sized {
	all := activations(spec, batch)
	for v := range store.IterVariables() {
		all = append(all, sized(v.Path(), v.Shape()))
	}
	slices.SortStableFunc(all, func(a, b Sized) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	return all
}

// explained says what helps if a training step failed for lack of memory. It returns another error as it is.
func (r *run) explained(err error) error {
	if !backend.IsOutOfMemory(err) {
		return err
	}
	var names []string
	all := largest(r.store, r.spec, min(r.config.Batch, len(r.data.Train))/max(1, r.options.Devices))
	for _, t := range all[:min(5, len(all))] {
		names = append(names, fmt.Sprintf("%s %s, %.0f MB", t.Name, t.Shape, float64(t.Bytes)/1e6))
	}
	cause, _, _ := strings.Cut(unwrapGoMLX(err).Error(), "\n")
	return fmt.Errorf("the device has not enough memory for a training step; its largest tensors: %s. What helps: a "+
		"smaller batch, more devices, dtype=bfloat16, ccp_hierarchy=prepared, ccp_candidates=4, levels "+
		"of fewer clusters or filters; a dry run tells what is needed (%s)", strings.Join(names, "; "), cause)
}
