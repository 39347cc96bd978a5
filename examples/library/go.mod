module example.com/library

go 1.27.0

require github.com/clusterpool/ccp v0.0.0

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/gofrs/flock v0.13.2 // indirect
	github.com/gomlx/compute v0.1.14 // indirect
	github.com/gomlx/go-xla v0.4.13 // indirect
	github.com/gomlx/gomlx v0.28.16 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hbollon/go-edlib v1.7.0 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/term v0.48.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

replace github.com/clusterpool/ccp => ../..
