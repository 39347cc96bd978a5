package recordings

// asReadColumns are those of the array as_read: what the series of a recording do not tell of it any more. They are its
// time points, the rate and the jitter of its times, and the shares of its values that were missing and that lie in
// holes. An audit asks whether they tell a class.
const asReadColumns = 5

// keepAsRead adds the array as_read to those that the import writes, if there is something that the series do not tell.
func (m *making) keepAsRead() {
	if !m.holes.unseen {
		return
	}
	values := make([]float32, 0, len(m.samples)*asReadColumns)
	for _, x := range m.samples {
		values = append(values, x.seen[:]...)
	}
	keep(m, "as_read", values, asReadColumns)
}
