package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// Notice is a line for people about how a training goes.
type Notice struct {
	// Kind is what it is about, for who treats some notices in another way: one of the kinds below, or "".
	Kind string
	// Settings are those that SettingsNotice is about: what was asked, by name, and changes no prediction.
	Settings Patch

	words, advice params.Message
}

// The kinds of notices.
const (
	DataNotice      = "data"      // something odd in the data set, which every training on it has
	HierarchyNotice = "hierarchy" // what the search for a hierarchy found
	SettingsNotice  = "settings"  // settings without effect
)

// String returns the notice with options by their names.
func (n Notice) String() string { return n.Spell(params.Plainly) }

// Spell returns the notice with options as a program spells them, such as its flags. A nil value is none.
func (n Notice) Spell(spelled func(option string, value any) string) string {
	return joined(n.words.Spell(spelled), n.advice.Spell(spelled))
}

// WithoutAdvice returns the notice without the option that it advises to give, for a program that does not have it.
func (n Notice) WithoutAdvice() Notice {
	n.advice = params.Message{}
	return n
}

// noticef returns a notice of no kind. Its values can be options, see params.Messagef.
func noticef(format string, values ...any) Notice {
	return Notice{words: params.Messagef(format, values...)}
}

// The notices of how the members of an ensemble are weighed. Each tells of whom, on how many samples, and what
// follows from it.
const (
	ungroupedNotice = "groups: most samples are of a class that only one group has, so that single samples are held " +
		"out; new groups may be harder"
	togetherNotice = "samples that seem to belong together are held out together, so that no weight goes by what " +
		"neighbours share"
	noQuarterReport = "no quarter can be held out without the last samples or groups of a class, so that nothing " +
		"says how well the transforms predict, and no network is tried"
	nothingHeldOut = "no network is tried, since no training samples can be held out to tell what it is worth"
)

// resumingNotice says from where a run goes on.
func resumingNotice(step int) string { return fmt.Sprintf("resuming after step %d", step) }

// loneReport says that no sample can be held out, and by what the transforms of v are weighed instead.
func loneReport(v *transforms.Classifier) string {
	report := "no class has two training samples or groups, so that none can be held out"
	if len(v.Predicting()) > 0 {
		report += ": the transforms have their usual weights and a small penalty"
	}
	return report
}

// sharesAlone lists how many of the held-out samples each transform that v uses has right alone. A transform that is
// of use to all samples may have been of none to three quarters of them, and is left out.
func (t *heldOutTrial) sharesAlone(v *transforms.Classifier) (list []string) {
	for _, p := range v.Parts() {
		if s := t.parts[p.Name]; p.Name != transforms.All && s.Samples > 0 {
			list = append(list, share(p.Name, figures{accuracy: s.Accuracy}))
		}
	}
	return list
}

// share says which share of the held-out samples a member has right.
func share(member string, f figures) string { return fmt.Sprintf("%s %.1f%%", member, 100*f.accuracy) }

// name says what was held out, such as "held-out quarter (12 samples of 3 groups)".
func (t *heldOutTrial) name() string {
	s := t.score(figures{})
	samples := text.Count(s.Samples, "sample")
	if s.Samples < t.held {
		samples = fmt.Sprintf("%s of %s", text.Thousands(s.Samples), text.Count(t.held, "sample"))
	}
	if s.Groups == 1 {
		return fmt.Sprintf("held-out group (%s)", samples)
	}
	return fmt.Sprintf("held-out quarter (%s%s)", samples, Score(s).ofGroups())
}

// report says how each of the transforms predicts the held-out samples, and how all together do.
func (t *heldOutTrial) report(shares []string, together figures) string {
	return fmt.Sprintf("on a %s: %s, loss %.3f", t.name(), strings.Join(shares, ", "), t.score(together).Loss)
}

// comparing announces the network of the trial.
func (r *run) comparing(t *heldOutTrial) string {
	line := fmt.Sprintf("to compare, a network is trained on the other %s, for %d of its %d steps",
		text.Count(len(t.data.Train), "training sample"), r.stepsOfTrial(t.data), r.total)
	if r.options.Ablate {
		line += ", and then again on a random graph"
	}
	return line
}

// longTrialNotice says how long a trial takes, and how to do without it.
func longTrialNotice(seconds float64) Notice {
	return noticef("the trial takes about %.0f s, unless it is given up, and the rest of the network's training a third "+
		"as long; %v leaves out both", seconds, params.With("model", "transforms"))
}

// comparison says how the transforms and the network predict the held-out samples.
func (t *heldOutTrial) comparison(together, network figures) string {
	return fmt.Sprintf("on a %s the transforms have %.1f%%, loss %.3f, the network %.1f%%, loss %.3f", t.name(),
		100*together.accuracy, t.score(together).Loss, 100*network.accuracy, t.score(network).Loss)
}

// givenUp is comparison for a network that is given up after a step of its training.
func (t *heldOutTrial) givenUp(step, steps int, together, network figures) string {
	return fmt.Sprintf("%s after %d of %d steps, and will hardly gain anything", t.comparison(together, network), step,
		steps)
}

// untriedReport says that no network is tried beside transforms, whose log-loss on what is held out is that of
// together: few samples may leave little to gain although they are predicted badly.
func untriedReport(heldOut string, together figures) string {
	return fmt.Sprintf("no network is tried, since what it could gain on %s, %.1f nats, may be chance", heldOut,
		together.loss)
}

// predictors says which members predict, with their weights if a network is among them.
func predictors(v *transforms.Classifier) string {
	names := v.Predicting()
	list := strings.Join(names, ", ")
	switch {
	case v.Weight == 0:
		return "the network predicts alone"
	case v.Weight < 1:
		return fmt.Sprintf("%s have the weight %.0f%%, the network %.0f%%", list, 100*v.Weight, 100-100*v.Weight)
	case len(names) == 1:
		return list + " predicts"
	default:
		return list + " predict"
	}
}

// joined joins parts of a notice by semicolons, without those that are empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
