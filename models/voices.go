package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/models/internal/voices"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Voices are closed-form classifiers of whole samples: random kernels, competing kernels, the power in bands of
// frequency, and the values themselves. One ridge regression reads them. Their probabilities count Share in the answers,
// the network's 1 - Share. Doubt is the probability that all classes share alike: 1/(n+2) for n training samples, by
// Laplace's rule of succession. No number of right answers makes the next one certain.
type Voices struct {
	*voices.Voices
	Share, Doubt float64
}

// Probabilities returns the probabilities of classes with these logits, less the doubt of voices. v may be nil.
func (v *Voices) Probabilities(logits []float32) []float64 {
	p := softmax(logits)
	if v == nil {
		return p
	}
	for k := range p {
		p[k] = (1-v.Doubt)*p[k] + v.Doubt/float64(len(p))
	}
	return p
}

// VoiceSample is a training sample of voices, in raw units as Classify takes it.
type VoiceSample = voices.Sample

// AllVoices is the value of Options.Voices that takes those that suit the samples. NoVoices takes none.
const (
	AllVoices = "all"
	NoVoices  = "none"
)

// voicesScope is the scope of the voices' arrays in the store, shareName and doubtName the paths of Share and Doubt in it.
const (
	voicesScope = networkScope + "voices/"
	shareName   = "share"
	doubtName   = "doubt"
)

// voices returns the names in Options.Voices. nil means the voices that suit the samples.
func (o Options) voices() (names []string, err error) {
	if o.Voices == AllVoices || o.Voices == NoVoices {
		return nil, nil
	}
	known := voices.Names()
	for name := range strings.SplitSeq(o.Voices, ",") {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("voices: there is no %q; there are %s, %s, or some of %s", name, AllVoices, NoVoices,
				strings.Join(known, ","))
		}
		names = append(names, name)
	}
	return names, nil
}

// HasVoices reports whether the settings ask for voices.
func (s Spec) HasVoices() bool { return s.Options.Voices != NoVoices }

// FitVoices fits the voices that the settings ask for. Errors name the sample.
func (m *Metadata) FitVoices(ctx context.Context, backend compute.Backend, samples []VoiceSample, seed int64) (*Voices,
	error) {
	config, err := m.voices()
	if err != nil {
		return nil, err
	}
	config.Seed, config.Backend = uint64(seed), backend
	v, err := voices.Fit(ctx, config, samples) // which standardises them
	return &Voices{Voices: v, Doubt: 1 / float64(len(samples)+2)}, err
}

// VoicesMemory is about how many bytes FitVoices takes beside the samples.
func (m *Metadata) VoicesMemory(samples []VoiceSample) int {
	config, err := m.voices()
	if err != nil {
		return 0
	}
	return config.Memory(samples)
}

func (m *Metadata) voices() (voices.Config, error) {
	names, err := m.Spec.Options.voices()
	config := voices.Config{Columns: m.Spec.Nodes * m.Spec.Channels, Classes: m.Spec.Classes(), Table: true, Only: names}
	if m.Form != nil {
		config.Columns, config.Table, config.Frames = m.Form.Width(), m.Form.Longest == 1, m.Form.Frames
	}
	return config, err
}

// Keep puts the voices into a store, and what they count.
func (v *Voices) Keep(store *model.Store) error {
	values := v.Values()
	values[shareName], values[doubtName] = tensors.FromScalar(float32(v.Share)), tensors.FromScalar(float32(v.Doubt))
	for name, value := range values {
		kept, err := store.CreateVariable(voicesScope+name, value)
		if err != nil {
			return err
		}
		kept.SetTrainable(false)
	}
	return nil
}

// StoredShare returns what the voices in a store count; 0 without any.
func StoredShare(store *model.Store) float64 { return stored(store, shareName) }

func stored(store *model.Store, name string) float64 {
	kept := store.GetVariable(voicesScope + name)
	if kept == nil {
		return 0
	}
	value, _ := kept.MustValue().Value().(float32) // Keep made it
	return float64(value)
}

// openVoices opens the voices of the classifier's store, if there are any.
func (c *Classifier) openVoices() error {
	if c.voices != nil || c.store.GetVariable(voicesScope+shareName) == nil {
		return nil
	}
	values := map[string]*tensors.Tensor{}
	for v := range c.store.IterVariables() {
		if name, is := strings.CutPrefix(v.Path(), voicesScope); is && name != shareName && name != doubtName {
			value, err := v.Value()
			if err != nil {
				return err
			}
			values[name] = value
		}
	}
	opened, err := voices.Open(values)
	if err != nil {
		return fmt.Errorf("the voices of the checkpoint: %w", err)
	}
	c.voices = &Voices{opened, StoredShare(c.store), stored(c.store, doubtName)}
	return nil
}

// Voices returns the voices beside the network; nil if there are none.
func (c *Classifier) Voices() *Voices { return c.voices }

// size returns the number of values that the voices are made of.
func (v *Voices) size() (n int) {
	for _, value := range v.Values() {
		n += value.Shape().Size()
	}
	return n
}

// errNoNetwork says that a classifier has no network to look into.
var errNoNetwork = errors.New("voices answer without the network, which was not trained; train with --set voices=none for a " +
	"network alone")

// HasNetwork reports whether the network counts in the answers. Otherwise it was not trained.
func (c *Classifier) HasNetwork() bool { return c.voices == nil || c.voices.Share < 1 }

// AnsweredBy says what gives the classifier's answers: the network, random kernels, voices, or several with their
// shares.
func (c *Classifier) AnsweredBy() string {
	const share = 100 / (kernelsWeight + 1) // of a network beside random kernels
	switch {
	case c.voices != nil:
	case c.Spec.Model == randomKernels:
		return "random kernels"
	case c.Spec.kernels() > 0:
		return fmt.Sprintf("the network (%d%%) and random kernels (%d%%)", share, 100-share)
	default:
		return "the network"
	}
	names := c.voices.Names()
	text := names[0]
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if c.voices.Share == 1 {
		return text
	}
	voices := int(math.Round(100 * c.voices.Share))
	return fmt.Sprintf("%s (%d%%), with the network (%d%%)", text, voices, 100-voices)
}

// Names returns the voices that answer, the loudest first.
func (v *Voices) Names() (names []string) {
	parts := v.Parts()
	parts = slices.DeleteFunc(parts[:len(parts)-1], func(p voices.Part) bool { return p.Share == 0 })
	slices.SortStableFunc(parts, func(a, b voices.Part) int { return -int(math.Copysign(1, a.Share-b.Share)) })
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return names
}

// errNoGradient says that the answers have no gradient.
var errNoGradient = errors.New("voices beside the network have no gradient: take occlusion")

// together returns the logits of points, `[points, classes]`. They are logarithms of the mean of the voices' and the
// network's probabilities. network has the network's logits; nil if the network does not count.
func (c *Classifier) together(points []point, network []float32) []float32 {
	classes, all := c.Spec.Classes(), make([]float32, len(points)*c.Spec.Classes())
	var workers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range min(step, len(points)) {
		workers.Go(func() {
			for i := first; i < len(points); i += step {
				own := c.voices.Logits(c.voiced(points[i]))
				if network != nil {
					p, q := softmax(own), softmax(network[i*classes:(i+1)*classes])
					for k := range own {
						own[k] = float32(math.Log(max(c.voices.Share*p[k]+(1-c.voices.Share)*q[k], math.SmallestNonzeroFloat32)))
					}
				}
				copy(all[i*classes:], own)
			}
		})
	}
	workers.Wait()
	return all
}

// voiced returns what voices hear of a point: the raw sample. The baseline of a sensor is the same in each moment.
func (c *Classifier) voiced(p point) []float32 {
	switch {
	case p.signal != nil:
		return c.sample(p)
	case c.Baseline != nil && c.Form == nil:
		return c.Baseline
	}
	base, width := c.Baseline, c.Spec.Nodes*c.Spec.Channels
	if base == nil {
		base = c.Mean
	}
	if c.Form != nil {
		width = c.Form.Width() * max(1, c.Form.Shortest)
	}
	return slices.Repeat(base, width/len(base))
}
