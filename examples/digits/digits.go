// Package digits embeds a checkpoint of the digits, for programs that carry theirs with them: [models.Read] takes it.
// Its files are model.json, graph.npz and the best snapshot of a run's folder; examples/README.md has the command.
//
// [models.Read]: https://pkg.go.dev/github.com/clusterpool/ccp/models#Read
package digits

import "embed"

// Checkpoint has the files of the checkpoint at its root.
//
//go:embed model.json graph.npz best-*
var Checkpoint embed.FS
