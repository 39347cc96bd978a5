package datasets

// GraphLearned reports whether Make made the graph of the training samples: of those that are alike over them (KNN), or
// of sensors that correlate over them. Such a graph suits these samples better than others, so that whoever holds some
// of them out makes it anew of the rest, see Resplit. A graph that was put in its place, such as a random one, is not
// learned.
func (d *Dataset) GraphLearned() bool { return d.learned != nil && d.learned == d.Affinity }

// Resplit returns the data set with another split, to hold out some of its training samples. A graph that Make made of
// the training samples is made anew of those of the split. Everything else stays: Mean, Std, frames and lengths
// describe values without their classes, and a network of the same shape has to fit. It has no warnings, which were
// given before.
func (d *Dataset) Resplit(s Split) (_ *Dataset, err error) {
	of := *d
	of.Split, of.Notes, of.Warnings = s, nil, nil
	if !d.GraphLearned() {
		return &of, nil
	}
	if d.Form == nil {
		err = of.join()
	} else if of.Affinity, err = of.link(s.Train); err == nil {
		of.Affinity, err = overTime(of.Affinity, d.Form.Frames)
	}
	of.learned, of.Warnings, of.known = of.Affinity, nil, nil
	return &of, named(d.Name, separate(err))
}
