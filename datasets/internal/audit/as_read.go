package audit

// AsRead are the facts of a recording that an import loses when it fills gaps and makes times even: its time points,
// the rate and the jitter of its times, and the shares of its values that were missing and that lie in holes.
type AsRead struct{ TimePoints, Rate, Jitter, Missing, MadeUp float64 }

// AsRead sets what an import, or a reader of times, saw of the recording before it made a series of it.
func (m *Making) AsRead(r AsRead) {
	m.TimePoints, m.Rate, m.Jitter, m.MadeUp = int(r.TimePoints), r.Rate, r.Jitter, r.MadeUp
	m.Missing = max(m.Missing, r.Missing)
}
