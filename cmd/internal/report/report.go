// Package report shows a run on one page: a single HTML file that asks nothing of a network, or the same page over HTTP while the
// training goes on. FromRun takes what a run's files tell; Build adds what its classifier says of the test samples; Write makes the
// page of it.
package report

import (
	"encoding/json"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models/training"
)

// Report is all that a page shows, as the page's script reads it.
type Report struct {
	Data       string `json:"data"`
	Model      string `json:"model"`
	About      string `json:"about"` // the model in words
	Nodes      int    `json:"nodes"`
	Channels   int    `json:"channels"`
	Edges      int    `json:"edges"`
	Levels     string `json:"levels"` // as ParseLevels reads them; "" for none
	Hidden     []int  `json:"hidden"`
	Parameters int    `json:"parameters,omitempty"` // 0 until known
	Snapshot   string `json:"snapshot,omitempty"`   // that was evaluated, such as "best-00001900"

	ClassNames []string             `json:"class_names"`
	Epochs     int                  `json:"epochs"` // asked for
	BestEpoch  int                  `json:"best_epoch"`
	History    []training.Epoch     `json:"history"`
	Result     *training.Result     `json:"result"` // nil until the training has ended
	Notices    []string             `json:"notices"`
	Hierarchy  *Hierarchy           `json:"hierarchy"` // nil for models without clusters, and while there is none yet
	Layout     *Layout              `json:"layout"`
	Names      []string             `json:"names"` // of the input nodes; nil if they have none
	Evaluation *training.Evaluation `json:"evaluation"`
	Mistakes   []Sample             `json:"mistakes"` // the most confident ones first
	Gallery    []Sample             `json:"gallery"`
	Rerun      Rerun                `json:"rerun"`
	Health     []hierarchy.Health   `json:"health"` // of the snapshot, or of the newest epoch; empty without clusters

	Live  bool `json:"live"`  // served during the training
	Ended bool `json:"ended"` // the training is over
}

// Rerun is what it takes to do the run again.
type Rerun struct {
	Command    string            `json:"command"`
	Config     json.RawMessage   `json:"config"`
	Versions   map[string]string `json:"versions"`
	Provenance string            `json:"provenance"`
	Seed       int64             `json:"seed"`
	Backend    string            `json:"backend"`
	Machine    backend.Machine   `json:"machine"` // that made the report
	Checkpoint string            `json:"checkpoint"`
}

// Hierarchy is a hierarchy through its epochs.
type Hierarchy struct {
	Frozen bool             `json:"frozen"` // before the training, so that one epoch stands for all
	Levels []HierarchyLevel `json:"levels"`
	Epochs []HierarchyEpoch `json:"epochs"` // ascending; at most mostEpochs of those there are
	Known  int              `json:"known"`  // how many epochs there are
	// Shown is the index in Epochs of the snapshot, or of the newest epoch.
	Shown int `json:"shown"`
	// Courses are each epoch's health, of all that there are.
	Courses []Course `json:"courses"`
	Palette []string `json:"palette"` // such as "#0072b2"
}

// Course is the health of all levels after an epoch.
type Course struct {
	Epoch  int                `json:"epoch"`
	Levels []hierarchy.Health `json:"levels"`
}

// HierarchyEpoch is a hierarchy after an epoch: of each level, the cluster that each of the level's nodes belongs to most.
type HierarchyEpoch struct {
	Epoch    int    `json:"epoch"`
	Clusters []Ints `json:"clusters"`
}

// HierarchyLevel is what does not depend on the epoch and, of the snapshot only, what the clusters' filters see. The latter is empty
// without a classifier.
type HierarchyLevel struct {
	Nodes      int  `json:"nodes"`
	Clusters   int  `json:"clusters"`
	Filters    int  `json:"filters"`
	Neighbours int  `json:"neighbours"`
	Colours    Ints `json:"colours"` // of each cluster: an index in Palette

	Mass           Floats `json:"mass"`           // input nodes, by their memberships
	CentralCounts  Ints   `json:"central_counts"` // of each cluster: how many of Central are its
	Central        Ints   `json:"central"`        // input nodes, the most central first
	Neighbourhoods Ints   `json:"neighbourhoods"` // `[K, L]`
	Ranks          Floats `json:"ranks"`
	Gates          Floats `json:"gates"`
}

// Sample is a test sample with what the classifier says of it.
type Sample struct {
	Index       int     `json:"index"` // in the data set
	Truth       int     `json:"truth"`
	Predicted   int     `json:"predicted"`
	Probability float64 `json:"probability"` // of the class predicted
	TruthShare  float64 `json:"truth_share"` // probability of the true class

	Image         *Scaled `json:"image"`         // `[nodes, 1 or 3]`, for drawing
	Poses         []Pose  `json:"poses"`         // of a skeleton
	Contributions *Scaled `json:"contributions"` // `[nodes]`, to the logit of the class predicted
	Words         []Word  `json:"words"`         // of named nodes in place of all that: those that contributed most
}

// Pose is a skeleton at a moment.
type Pose struct {
	Frame int    `json:"frame"`
	X     Floats `json:"x"` // of each joint, to the body's left
	Y     Floats `json:"y"` // upwards
}

// Word is a named node's share in a prediction.
type Word struct {
	Name         string  `json:"name"`
	Contribution float64 `json:"contribution"`
}
