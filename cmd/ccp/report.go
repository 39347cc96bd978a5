//go:build !lean

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/cmd/internal/report"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// reportJSON is what `ccp report --json` prints.
type reportJSON struct {
	Command    string `json:"command"`
	Checkpoint string `json:"checkpoint"`
	Snapshot   string `json:"snapshot"`
	File       string `json:"file"`
	Bytes      int    `json:"bytes"`
	Samples    int    `json:"samples"` // evaluated; 0 if the data set was unavailable
	Epochs     int    `json:"epochs"`  // of the hierarchy that are on the page
	Explained  int    `json:"explained"`
	Mistakes   int    `json:"mistakes"` // shown
	Gallery    int    `json:"gallery"`
}

// newReport returns `ccp report`, which makes a page of one or several runs.
func newReport(s *shared) *cobra.Command {
	var dir, other, dataDir string
	var samples int
	var out target
	cmd := command("report", "")
	checkpointFlag(cmd, &dir)
	out.flags(cmd.Flags(), "`FILE.html` to write (default: report.html in the checkpoint's directory)",
		"a file that is no report")
	otherDataFlags(cmd, &other, &dataDir)
	samplesFlag(cmd.Flags(), &samples, "all that the page can show")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		status := newStatusLine(cmd.ErrOrStderr())
		stopped := untilSignal(cmd, status.clear)
		defer stopped()
		if out.path == "" {
			out.path = filepath.Join(dir, "report.html")
		} else if filepath.Ext(out.path) != ".html" {
			return usage(cmd, fmt.Errorf("--out %q: the name must end in .html", out.path))
		}
		_, _, err := models.ReadMetadata(dir)
		if err := cmp.Or(err, out.freeReport()); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir, 0)
		if err != nil {
			return err
		}
		data, lack := s.dataOf(cmd, classifier.Metadata, classifier.Graph, dir, dataDir, other)
		r, err := report.Build(cmd.Context(), dir, classifier, data, samples, status.onScreen)
		status.clear()
		err = cmp.Or(err, cmd.Context().Err())
		if err != nil { // the data may lack because of it
			return err
		}
		if data != nil && data.Name != classifier.Data {
			r.Notices = append(r.Notices, fmt.Sprintf("The samples are those of %s; the model was trained on %s.", data.Name,
				classifier.Data))
		}
		if lack != nil {
			line := fmt.Sprintf("the data set is unavailable, so samples and names are left out: %v", lack)
			fmt.Fprintln(cmd.ErrOrStderr(), line)
			r.Notices = append(r.Notices, line)
		}
		var page bytes.Buffer
		if err := report.Write(&page, r); err != nil {
			return err
		}
		if err := files.WriteBytes(out.path, page.Bytes()); err != nil {
			return err
		}
		result := reportJSON{Command: "report", Checkpoint: dir, Snapshot: r.Snapshot, File: out.path, Bytes: page.Len(),
			Mistakes: len(r.Mistakes), Gallery: len(r.Gallery)}
		if r.Evaluation != nil {
			result.Samples, result.Explained = r.Evaluation.Samples, r.Explained
		}
		if r.Hierarchy != nil {
			result.Epochs = len(r.Hierarchy.Epochs)
		}
		return s.print(cmd, result, fmt.Sprintf("%s: %.1f kB; open it in a browser\n", out.path, float64(page.Len())/1000))
	}
	return cmd
}

// freeReport returns an error if a page cannot be written, or if a file in its place is no report.
func (t target) freeReport() error {
	if info, err := os.Stat(t.path); err != nil || !info.Mode().IsRegular() {
		return t.free()
	}
	content, err := os.ReadFile(t.path)
	switch {
	case err != nil:
		return err
	case t.overwrite || bytes.Contains(content[:min(len(content), 1000)], []byte(report.Generator)):
		return t.writable()
	}
	return fmt.Errorf("%s exists and is no report; --overwrite replaces it", t.path)
}
