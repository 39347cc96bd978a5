package training

import (
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Options say where and how a training runs. They do not change its result.
type Options struct {
	Dir       string            // the checkpoint's directory
	Data      *datasets.Dataset // a data set in memory; nil: the one that is asked for by name
	DataDir   string            // where the data set's files are looked for
	Command   string            // the command line, kept with the checkpoint
	Backend   string            // the backend's name, for the record
	SaveEvery time.Duration     // how much work a kill may cost; every epoch is saved in any case
	// Overwrite puts the run in the place of the one in Dir, which stays whole until the first snapshot.
	Overwrite bool
	Devices   int  // how many of the backend's devices share each batch; 0 is 1
	Ablate    bool // also tries the network on a random graph with as many edges, beside its trial
	Observer  Observer

	asked   Patch          // what Train was asked for, to name what had no effect
	doubts  doubts         // of the data set; none of a trial's
	resumed func(step int) // takes the place of the notice that the run goes on after a step; nil: the notice is given
	pause   pause          // of a trial
}

// Observer is told how a training goes. Each function may be nil.
type Observer struct {
	Load func(doing string, done float64) // a long preparation of the data, and the share of it done
	// Begin is told the configuration, the data, the network, the first step and the number of steps.
	Begin   func(c Config, d *datasets.Dataset, spec models.Spec, from, steps int)
	Prepare func(level int, done, objective float64) // the search for a prepared hierarchy, see Spec.Prepare
	Trial   func(done float64)                       // the part of a network's trial beside the ridge classifier
	// Compile is called before XLA compiles the step, which takes a while, and Compiled after it.
	Compile, Compiled func()
	Step              func(Progress)
	Epoch             func(Epoch)
	Notice            func(Notice)
}

// Progress is the state after a step: means over the epoch so far.
type Progress struct {
	Epoch, Epochs int // from 1
	Step, Steps   int // within the epoch
	Loss          float64
	Accuracy      float64
	Objective     float64 // C, summed over the levels
	PerSecond     float64 // samples; 0 while there is only the first step of this process, which compiles
}

// Score is a mean cross entropy and the share of samples classified rightly. If it is of training samples that were
// held out, Samples says how many they were, and Groups of how many groups, if these were held out whole.
type Score struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
	Samples  int     `json:"samples,omitzero"`
	Groups   int     `json:"groups,omitzero"`
}

// HeldOut names the held-out samples that a score is of, such as "15 held-out samples of 3 groups"; it is "" if there
// were none.
func (s Score) HeldOut() string {
	if s.Samples == 0 {
		return ""
	}
	return text.Count(s.Samples, "held-out sample") + s.ofGroups()
}

// ofGroups returns " of 3 groups"; "" if samples were held out singly.
func (s Score) ofGroups() string {
	if s.Groups == 0 {
		return ""
	}
	return " of " + text.Count(s.Groups, "group")
}

// Epoch is one line of a training's history.
type Epoch struct {
	Epoch int `json:"epoch"`
	// Train has means over the epoch's batches, with dropout and augmentation. If transforms predict alone it is of
	// held-out samples, and zero if none were.
	Train      Score     `json:"train,omitzero"`
	Validation *Score    `json:"validation,omitempty"` // nil: no samples are held out
	Objective  []float64 `json:"objective"`            // C of each level at the epoch's end
	Seconds    float64   `json:"seconds"`              // of training, without compilation and validation
	InputWait  float64   `json:"input_wait"`           // share of them spent waiting for input
	Best       bool      `json:"best"`                 // its weights would be kept, see Config.Keep
}
