package ccp

// Plan says how a hierarchy comes about, and which losses its memberships U learn from.
type Plan string

// The plans. The hierarchy of Prepared and of Random is frozen before the training, that of every other plan after it.
const (
	Learned       Plan = "learned"        // U learns from the task's loss and from C: the paper's main way
	TaskOnly      Plan = "task-only"      // U learns from the task's loss alone
	ObjectiveOnly Plan = "objective-only" // U learns from C alone: the task's gradient to U is cut
	Prepared      Plan = "prepared"       // Prepare searches clusterings of large C: the paper's fastest way
	Random        Plan = "random"         // U stays as it was drawn
)

// Plans lists the names of the plans.
func Plans() (names []string) {
	for _, p := range []Plan{Learned, TaskOnly, ObjectiveOnly, Prepared, Random} {
		names = append(names, string(p))
	}
	return names
}

// Frozen reports whether the hierarchy is the same throughout the training.
func (p Plan) Frozen() bool { return p == Prepared || p == Random }

// Maximises reports whether C is part of the training loss.
func (p Plan) Maximises() bool { return p == Learned || p == ObjectiveOnly }
