package recordings

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	types "github.com/parquet-go/parquet-go/format"
)

// leaf is a column of a Parquet file, which makes several columns of the table if it holds lists.
type leaf struct {
	path     []string                   // its name
	text     func(parquet.Value) string // what a value says
	seconds  bool                       // text gives the seconds of durations
	repeated int                        // the definition level from which on the first list has elements; 0 without lists
	shape    []int                      // the repetition levels of a row's values, which all rows share; nil if unknown
	length   int                        // bytes of a value, if it is an array of bytes of fixed length
	fixed    []bool                     // which of the lists have a fixed length
	lists    int                        // how many lists lie in each other: the largest repetition level
	optional int                        // the definition level of a value that is there
	kind     types.Type
	words    bool // its values are texts, which may hold numbers as people write them
}

// listIndex stands in a path for the index of an element in a list.
const listIndex = "\x00"

// node is an element of a schema with those in it.
type node struct {
	types.SchemaElement
	inside []*node
}

// deepest bounds how deep the elements of a schema lie in each other. Files come from strangers.
const deepest = 100

// treeOf makes a tree of the element that a schema begins with and of all in it, which follow it: Parquet writes a
// schema from the root down. It returns the elements that follow these.
func treeOf(schema []types.SchemaElement, depth int) (n *node, rest []types.SchemaElement, err error) {
	if len(schema) == 0 || depth > deepest {
		return nil, nil, errors.New("the schema is damaged; write the file again")
	}
	n, rest = &node{SchemaElement: schema[0]}, schema[1:]
	for range n.NumChildren.V {
		var in *node
		in, rest, err = treeOf(rest, depth+1)
		if err != nil {
			return nil, nil, err
		}
		n.inside = append(n.inside, in)
	}
	return n, rest, nil
}

// leafFinder finds the columns of a schema.
type leafFinder struct {
	pandas map[string]unit // of the columns that pandas calls durations
	fixed  []bool          // of the lists around the element
	leaves []*leaf
}

// walk adds the columns in element n, in the order of the file's columns. path is the name of n. level is the
// definition level of its values that are there; repeated is the one from which on the outermost list around it has
// elements, 0 outside of lists. arrow is Arrow's description of n, and may be nil.
func (c *leafFinder) walk(n *node, path []string, level, repeated int, arrow *arrowField) {
	path = slices.Clip(path)
	within := func(in *node, path []string, arrow *arrowField) {
		level, repeated := level, repeated
		if in.RepetitionType.V != types.Required {
			level++
		}
		if in.RepetitionType.V == types.Repeated {
			path = append(path, listIndex)
			if repeated == 0 {
				repeated = level
			}
		}
		c.walk(in, path, level, repeated, arrow)
	}
	switch {
	case n.Type.Valid:
		l := &leaf{path: path, repeated: repeated, kind: n.Type.V, length: int(n.TypeLength.V), optional: level,
			fixed: slices.Clone(c.fixed)}
		for _, part := range path {
			if part == listIndex {
				l.lists++
			}
		}
		l.text, l.seconds = textOf(&n.SchemaElement, arrow, c.pandas[n.Name])
		switch markOf(&n.SchemaElement).(type) {
		case *types.StringType, *types.EnumType, *types.JsonType:
			l.words = true
		}
		c.leaves = append(c.leaves, l)
	case n.isList(): // the names of what is in it are the writer's, and say nothing
		c.fixed = append(c.fixed, arrow != nil && arrow.kind == arrowFixedList)
		within(n.inside[0], path, arrow.in(0))
		c.fixed = c.fixed[:len(c.fixed)-1]
	case n.isWrapper(): // has no name of its own
		within(n.inside[0], path, arrow)
	default:
		for i, in := range n.inside {
			within(in, append(path, in.Name), arrow.in(i))
		}
	}
}

// isList reports whether an element is marked as a list, and holds one repeated element.
func (n *node) isList() bool {
	_, marked := n.LogicalType.Value.(*types.ListType)
	marked = marked || n.ConvertedType.Valid && n.ConvertedType.V == deprecated.List
	return marked && len(n.inside) == 1 && n.inside[0].RepetitionType.V == types.Repeated
}

// isWrapper reports whether a repeated group is only a wrapper around the one element of a list, as most writers make
// it. The names of the exceptions are those of the rules in Parquet's specification, for files of older writers.
func (n *node) isWrapper() bool {
	return n.RepetitionType.V == types.Repeated && len(n.inside) == 1 && n.Name != "array" &&
		!strings.HasSuffix(n.Name, "_tuple")
}

// heading returns the name of the column that holds one value of each row: the path, with the index of the value in
// each list, the outermost first. Lists without an index are left out.
func (l *leaf) heading(indices ...int) string {
	parts := slices.Clone(l.path)
	for i, part := range parts {
		if part == listIndex && len(indices) > 0 {
			parts[i], indices = strconv.Itoa(indices[0]), indices[1:]
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == listIndex }), ".")
}

// findShapes finds how many values the rows of each column of lists have: as many as the first row that has any.
func (p *parquetFile) findShapes() error {
	unknown := slices.DeleteFunc(slices.Clone(p.leaves), func(l *leaf) bool { return l.repeated == 0 })
	if len(unknown) == 0 {
		return nil
	}
	err := p.rows(func(values parquet.Row) error {
		for _, v := range values {
			l := p.leaves[v.Column()]
			if v.RepetitionLevel() == 0 && l.shape == nil && v.DefinitionLevel() >= l.repeated {
				l.shape = levels(values, v.Column())
			}
		}
		unknown = slices.DeleteFunc(unknown, func(l *leaf) bool { return l.shape != nil })
		if len(unknown) == 0 {
			return io.EOF
		}
		return nil
	})
	for _, l := range unknown {
		l.shape = []int{0}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// levels returns the repetition levels of a column's values in a row.
func levels(values parquet.Row, column int) (all []int) {
	for _, v := range values {
		if v.Column() == column {
			all = append(all, v.RepetitionLevel())
		}
	}
	return all
}

// nestedLists returns the lists in each other among the columns of the table.
func (p *parquetFile) nestedLists() (all []lists) {
	at := 0
	for _, l := range p.leaves {
		if l.nested() {
			all = append(all, lists{l, at})
		}
		at += max(1, len(l.shape))
	}
	return all
}

// headings returns the names of the table's columns, and tells in which of them hold durations, and which numbers. An
// element of a list has its place in its name: acc.0, acc.1 and acc.2 are the three values of acc.
func (p *parquetFile) headings(in *input) (all []string) {
	add := func(l *leaf, heading string) {
		in.seconds[len(all)] = l.seconds
		in.exact = append(in.exact, !l.words)
		all = append(all, heading)
	}
	for _, l := range p.leaves {
		if l.repeated == 0 {
			add(l, l.heading())
			continue
		}
		for _, indices := range l.indices() {
			add(l, l.heading(indices...))
		}
	}
	return all
}

// cells adds the cells of a row's values of the column: as many as its lists have elements in all rows.
func (l *leaf) cells(to []string, values []parquet.Value) []string {
	if l.repeated == 0 {
		return append(to, l.cell(values[0]))
	}
	isEmpty := values[0].DefinitionLevel() < l.repeated
	if !isEmpty && l.hasShape(values) {
		for _, v := range values {
			to = append(to, l.cell(v))
		}
		return to
	}
	cell := "" // of a row without a list
	hasList := values[0].DefinitionLevel() >= l.repeated-1
	if hasList {
		count := len(values)
		if isEmpty {
			count = 0
		}
		cell = unread + fmt.Sprintf("a list of %d values, and in the rows before lists of %d; write lists of one length, "+
			"or a row for each time point", count, len(l.shape))
	}
	return append(to, slices.Repeat([]string{cell}, len(l.shape))...)
}

// hasShape reports that the lists of a row have as many elements as those of the other rows.
func (l *leaf) hasShape(values []parquet.Value) bool {
	return slices.EqualFunc(values, l.shape, func(v parquet.Value, level int) bool { return v.RepetitionLevel() == level })
}

// cell writes a value, nothing for a missing one.
func (l *leaf) cell(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	return strings.TrimSpace(l.text(v))
}
