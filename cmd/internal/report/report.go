// Package report shows a run on one page, a single HTML file that needs no network. Build reads a run's files, and
// adds what its classifier says of the test samples. Write makes the page.
package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// Report has all that a page shows, as the page's script reads it.
type Report struct {
	models.Metadata
	Config     training.Config `json:"config"`
	Epochs     int             `json:"epochs"` // of the whole training
	Checkpoint string          `json:"checkpoint"`
	About      string          `json:"about"` // the model in words
	Edges      int             `json:"edges"`
	Layout     *picture.Layout `json:"layout"`  // nil if the nodes are too many to be drawn
	Map        *picture.Map    `json:"map"`     // of the nodes, if there are clusters to show
	Names      []string        `json:"names"`   // of the input nodes; nil if they have none
	Machine    backend.Machine `json:"machine"` // that made the report
	Backend    string          `json:"backend"` // of the training

	PredictedBy string               `json:"predicted_by"` // see models.Classifier.PredictedBy
	Network     bool                 `json:"network"`      // whether a network predicts; if not, the page shows no network and no training
	Parameters  int                  `json:"parameters"`
	Snapshot    string               `json:"snapshot"` // that was evaluated, such as "best-00001900"
	BestEpoch   int                  `json:"best_epoch"`
	History     []training.Epoch     `json:"history"`
	Result      *training.Result     `json:"result"` // nil if the training has not ended
	Notices     []string             `json:"notices"`
	Hierarchy   *Hierarchy           `json:"hierarchy"` // nil without clusters
	Health      []hierarchy.Health   `json:"health"`    // of the snapshot; empty without clusters
	Evaluation  *training.Evaluation `json:"evaluation"`
	// Calibration is nil if no samples were held out. Its confidences are left out.
	Calibration *models.Calibration `json:"calibration"`
	Explained   int                 `json:"explained"` // samples
	Method      string              `json:"method"`    // by which samples are explained, such as models.Occlusion
	Mistakes    []*Sample           `json:"mistakes"`  // the most confident first
	Gallery     []*Sample           `json:"gallery"`   // of a sample that is a mistake, too, the same
	Means       []Mean              `json:"means"`     // of sensors over time
}

// Hierarchy is a hierarchy over its epochs.
type Hierarchy struct {
	Frozen  bool                      `json:"frozen"` // before the training: one epoch stands for all
	Levels  []Level                   `json:"levels"`
	Epochs  []training.HierarchyEpoch `json:"epochs"` // of the run, ascending; about mostEpochs have their clusters
	Shown   int                       `json:"shown"`  // index in Epochs of the snapshot
	Palette []color.RGBA              `json:"palette"`
}

// Level is what does not depend on the epoch, and what the clusters' filters read in the snapshot.
type Level struct {
	models.Level
	Colours        []int       `json:"colours"`        // of each cluster: an index in Palette
	Mass           []float64   `json:"mass"`           // of each cluster: input nodes, by their memberships
	Central        [][]int32   `json:"central"`        // of each cluster: input nodes, the most central first
	Neighbourhoods [][]int32   `json:"neighbourhoods"` // `[K, L]`, and so are Ranks and Gates
	Ranks          [][]float32 `json:"ranks"`
	Gates          [][]float32 `json:"gates"`
}

// Sample is a test sample, its prediction, and what is needed to draw both.
type Sample struct {
	Name        string  `json:"name"` // such as its file, or its index in the data set
	Index       int     `json:"-"`    // in the data set
	Truth       int     `json:"truth"`
	Predicted   int     `json:"predicted"`
	Probability float64 `json:"probability"` // of the class predicted
	TruthShare  float64 `json:"truth_share"` // probability of the true class

	Pictures []string               `json:"pictures"` // data URLs: signal and contributions
	Most     float64                `json:"most"`     // the largest contribution of a node, without its sign
	Words    []explain.Contribution `json:"words"`    // instead of pictures, the named nodes that contributed most
}

// Mean is what mattered to a class that was predicted, as the mean over samples.
type Mean struct {
	Class   int    `json:"class"`
	Samples int    `json:"samples"`
	Picture string `json:"picture"` // a data URL
}

//go:embed page
var files embed.FS

// Generator marks a page that Write made.
const Generator = `<meta name="generator" content="ccp report">`

var (
	source = template.Must(template.ParseFS(files, "page/page.html"))
	style  = template.CSS(embedded("css"))
	// All scripts are in one function, so that no name is global.
	script = template.JS("\n(() => {\n\"use strict\";\n" + embedded("js") + "})();\n")
)

// embedded joins the page's files of a kind, in the order of their names.
func embedded(kind string) (all string) {
	names, _ := fs.Glob(files, "page/*."+kind) // the pattern is right
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			panic(err) // embedded: it is there
		}
		all += string(raw)
	}
	return all
}

// policy returns the Content-Security-Policy of a page. It allows the page's own script, style and pictures only.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'none'; "+
		"base-uri 'none'; form-action 'none'", sum(string(script)), sum(string(style)))
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// Write writes the page: one HTML file that needs no other file and no network.
func Write(w io.Writer, r Report) error {
	document, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the report of %s: %w", r.Checkpoint, err)
	}
	tag := `<meta http-equiv="Content-Security-Policy" content="` + policy() + `">`
	return source.Execute(w, map[string]any{"Title": filepath.Base(r.Checkpoint) + " · ccp report", "Style": style,
		"Script": script, "PolicyTag": template.HTML(tag),
		"Document": template.JS(document)}) // json.Marshal leaves no <, > and &
}
