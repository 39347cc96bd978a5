package wordvec

// Vectors are words, each with a vector.
type Vectors struct {
	Dim    int       // values in a vector
	Words  []string  // no word twice
	Values []float32 // `[len(Words), Dim]`, row-major
}

// Row returns the vector of word i, `[Dim]`, as a view of Values.
func (v *Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim] }
