package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/cmd/internal/export"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// Trains a very small network on the embedded digits and exports it.
func ExampleFold() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	pureGo, _, err := backend.Open(backend.Options{Name: "go"})
	if err != nil {
		panic(err)
	}
	config := training.Patch{"levels": "8x4/9,1x8/8", "hidden": 16, "epochs": 1}
	config["ccp_hierarchy"], config["ccp_stem"], config["ccp_blocks"] = "learned", nil, nil
	checkpoint := filepath.Join(dir, "digits")
	if _, err := training.Train(context.Background(), pureGo, config, training.Options{Dir: checkpoint}); err != nil {
		panic(err)
	}

	classifier, err := models.Load(checkpoint, models.LoadOptions{Backend: pureGo})
	if err != nil {
		panic(err)
	}
	network, err := export.Fold(classifier)
	if err != nil {
		panic(err)
	}
	if err := export.Write(filepath.Join(dir, "digits.onnx"), classifier); err != nil {
		panic(err)
	}
	fmt.Println(network.Spec.Nodes, network.Spec.Classes(), len(network.Levels), len(network.Dense))
	// Output: 64 10 2 2
}
