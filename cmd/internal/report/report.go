// Package report shows a run on one page: a single HTML file that needs no network, or the same page over HTTP during the
// training. FromRun reads a run's files, Build adds what its classifier says of the test samples, and Write makes the page.
package report

import (
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// Report is all that a page shows, as the page's script reads it.
type Report struct {
	models.Metadata
	Config     training.Config `json:"config"`
	Epochs     int             `json:"epochs"` // of the whole training
	Checkpoint string          `json:"checkpoint"`
	About      string          `json:"about"` // the model in words
	Edges      int             `json:"edges"`
	Layout     *Layout         `json:"layout"`
	Names      []string        `json:"names"`   // of the input nodes; nil if they have none
	Machine    backend.Machine `json:"machine"` // that made the report
	Backend    string          `json:"backend"` // of the training

	Parameters int                  `json:"parameters,omitempty"` // 0 until known
	Snapshot   string               `json:"snapshot,omitempty"`   // that was evaluated, such as "best-00001900"
	BestEpoch  int                  `json:"best_epoch"`
	History    []training.Epoch     `json:"history"`
	Result     *training.Result     `json:"result"` // nil until the training has ended
	Notices    []string             `json:"notices"`
	Hierarchy  *Hierarchy           `json:"hierarchy"` // nil without clusters, and before the first epoch
	Health     []hierarchy.Health   `json:"health"`    // of the snapshot, or of the newest epoch; empty without clusters
	Evaluation *training.Evaluation `json:"evaluation"`
	Mistakes   []Sample             `json:"mistakes"` // the most confident first
	Gallery    []Sample             `json:"gallery"`

	Live  bool `json:"live"`  // served during the training
	Ended bool `json:"ended"` // the training is over
}

// Hierarchy is a hierarchy over its epochs.
type Hierarchy struct {
	Frozen  bool                      `json:"frozen"` // before the training: one epoch stands for all
	Levels  []HierarchyLevel          `json:"levels"`
	Epochs  []HierarchyEpoch          `json:"epochs"`  // ascending; at most mostEpochs of the run's
	Known   int                       `json:"known"`   // the number of the run's epochs
	Shown   int                       `json:"shown"`   // index in Epochs of the snapshot, or of the newest epoch
	Courses []training.HierarchyEpoch `json:"courses"` // the health after each of the run's epochs, without clusters
	Palette []string                  `json:"palette"` // such as "#0072b2"
}

// HierarchyEpoch is a hierarchy after an epoch: for each level, the cluster that each of its nodes belongs to most.
type HierarchyEpoch struct {
	Epoch    int    `json:"epoch"`
	Clusters []Ints `json:"clusters"`
}

// HierarchyLevel is what does not depend on the epoch, and what the clusters' filters see in the snapshot. The latter is empty
// without a classifier.
type HierarchyLevel struct {
	models.Level
	Colours Ints `json:"colours"` // of each cluster: an index in Palette

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
	Words         []Word  `json:"words"`         // of named nodes, instead of the above: those that contributed most
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
