// Package paper is the laboratory that the paper is reproduced in. It registers all that nobody needs for data of one's
// own. The program imports it for its effect, and nothing else does.
package paper

import (
	_ "github.com/clusterpool/ccp/benchmarks/paper/data"
	_ "github.com/clusterpool/ccp/benchmarks/paper/networks"
	_ "github.com/clusterpool/ccp/benchmarks/paper/tables"
)
