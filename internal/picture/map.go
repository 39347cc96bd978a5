package picture

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
)

// Map is a picture of the nodes in SVG. A page's script joins the outlines of a cluster's nodes to one path, and
// colours it.
type Map struct {
	Width  float64   `json:"width"`
	Height float64   `json:"height"`
	X      []float64 `json:"x"`     // of the middle of each node
	Y      []float64 `json:"y"`     // downwards
	Shape  string    `json:"shape"` // the outline of a node, a path from its middle
	Line   float64   `json:"line"`  // width of a cluster's outline
	Reach  []float64 `json:"reach"` // how far from its middle a node is pointed at, to the sides and up or down
	Dot    float64   `json:"dot"`   // radius of a mark in a node
	Ring   float64   `json:"ring"`  // radius of a ring at a node
	Axes   string    `json:"axes"`  // elements: names of sensors, numbers of frames, lines between parts of a body
}

// Map draws the nodes for a page.
func (l *Layout) Map() *Map {
	if l.Kind == OnPlane {
		return l.planeMap()
	}
	return l.cellMap()
}

const mapSide = 480. // of a page's map, in pixels

// planeMap draws the nodes as discs, the smaller the more there are.
func (l *Layout) planeMap() *Map {
	const margin = 12.
	size := mapSide - 2*margin
	m := &Map{Width: mapSide, Height: mapSide, Reach: []float64{16, 16}}
	r := tenths(min(9, max(1.6, 0.36*size/math.Sqrt(float64(len(l.X))))))
	m.Shape = fmt.Sprintf("m%g 0a%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0", -r, r, r, 2*r, r, r, -2*r)
	m.Dot, m.Ring = max(1, r/3), r+5
	if r > 4 { // room for a rim
		m.Line = 1.6
	}
	for i := range l.X {
		m.X = append(m.X, tenths(margin+size*l.X[i]))
		m.Y = append(m.Y, tenths(margin+size*(1-l.Y[i])))
	}
	return m
}

// cellMap draws the nodes as cells: squares of a grid or, over time, a row for each sensor and a column for each frame.
func (l *Layout) cellMap() *Map {
	left, rows := 0., float64(l.Rows)
	if l.Kind == OverTime {
		for _, name := range l.RowNames {
			left = min(110, max(left, 16+7*float64(len(name))))
		}
	}
	width := (mapSide - left) / float64(l.Columns)
	height := width
	if l.Kind == OverTime {
		height = min(36, 640/rows)
	}
	const over = 0.3 // cells lie over each other a little, so that nothing shows between them
	reach := min(width, height) / 2
	m := &Map{
		Width:  left + width*float64(l.Columns),
		Height: height * rows,
		Shape:  fmt.Sprintf("m%.4g %.4gh%.4gv%.4gh%.4gz", -width/2, -height/2, width+over, height+over, -width-over),
		Line:   min(2, height/3),
		Reach:  []float64{width / 2, height / 2},
		Dot:    max(1, min(4, reach/3)),
		Ring:   max(3, min(9, 0.7*reach)),
	}
	if l.Kind == OverTime {
		m.Axes = l.mapAxes(left, width, height)
		m.Height += 22
	}
	for i := range l.X {
		m.X = append(m.X, tenths(left+width*l.X[i]))
		m.Y = append(m.Y, tenths(height*(rows-l.Y[i])))
	}
	return m
}

func tenths(v float64) float64 { return math.Round(10*v) / 10 }

// mapAxes names rows and frames of cells, and draws lines between the parts of a body.
func (l *Layout) mapAxes(left, width, height float64) string {
	var s strings.Builder
	words := func(class string, x, y float64, words string) {
		fmt.Fprintf(&s, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, html.EscapeString(words))
	}
	each := int(math.Ceil(13 / height)) // of many rows some are named
	for row := 0; row < l.Rows; row += each {
		words("row", left-6, (float64(row)+0.5)*height, text.Shorten(l.RowNames[row], longestLabel))
	}
	bottom := height*float64(l.Rows) + 12
	words("row", left-14, bottom, "frame")
	for _, frame := range l.frames() {
		words("frame", left+(frame+0.5)*width, bottom, fmt.Sprint(frame))
	}
	for _, row := range l.Rules {
		if row > 0 && row < l.Rows {
			fmt.Fprintf(&s, `<path class="rule" d="M%.1f %.1fh%.1f"/>`, left, float64(row)*height, width*float64(l.Columns))
		}
	}
	return s.String()
}
