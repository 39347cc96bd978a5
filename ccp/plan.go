package ccp

import (
	"fmt"
	"strings"
)

// Plan is how a hierarchy comes about: where it starts and which losses its memberships learn from. A plan has a name, which is its
// text in options, checkpoints and commands.
type Plan struct {
	// Searched: it starts at a clustering that maximises C and is searched before the training. Else U is drawn.
	Searched bool
	// Task and Objective: U learns from the task's loss, from C.
	Task, Objective bool
}

// The plans.
var (
	Learned       = Plan{Task: true, Objective: true}                 // U learns with the filters: the paper's main way
	Refined       = Plan{Searched: true, Task: true, Objective: true} // as Learned, from a searched clustering on
	Prepared      = Plan{Searched: true}                              // a searched clustering, fixed: the paper's fastest way
	TaskOnly      = Plan{Task: true}                                  // U learns from the task's loss alone
	ObjectiveOnly = Plan{Objective: true}                             // U learns from C alone: the task's gradient to it is cut
	Random        = Plan{}                                            // U as it is drawn, fixed
)

var plans = []struct {
	name string
	plan Plan
}{
	{"learned", Learned}, {"task-only", TaskOnly}, {"objective-only", ObjectiveOnly}, {"refined", Refined}, {"prepared", Prepared}, {"random", Random},
}

// Plans lists the names of the plans.
func Plans() (names []string) {
	for _, p := range plans {
		names = append(names, p.name)
	}
	return names
}

// Fixed says whether the hierarchy is fixed before the training. Any other is fixed after it, for every prediction.
func (p Plan) Fixed() bool { return !p.Task && !p.Objective }

// String is the plan's name.
func (p Plan) String() string {
	for _, known := range plans {
		if known.plan == p {
			return known.name
		}
	}
	return fmt.Sprintf("%#v", p)
}

// MarshalText gives the plan's name.
func (p Plan) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText takes the plan's name. The error lists the names.
func (p *Plan) UnmarshalText(name []byte) error {
	for _, known := range plans {
		if known.name == string(name) {
			*p = known.plan
			return nil
		}
	}
	return fmt.Errorf("it must be one of %s", strings.Join(Plans(), ", "))
}
