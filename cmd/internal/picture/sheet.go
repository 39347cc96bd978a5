package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Panel is a picture that can stand on a Sheet: Cells, Points, Heat, HeatPoints, Image, Field and Curves.
type Panel interface{ plot() *plot.Plot }

// coloured are panels whose colours are numbers, which a bar beside them explains.
type coloured interface{ scale() scale }

// Sheet is one picture of several panels in rows, all of one size, each with its title above it.
type Sheet struct {
	Title  string
	Panels [][]Panel // rows from the top, as long as each other; nil leaves a place empty
	Rows   []string  // captions to the left of the rows; nil for none
	Legend []Curve   // of which the names are explained at the bottom; nil for none
	// Width and Height are those of a panel without its colour bar, in points.
	Width, Height float64
}

const (
	sheetMargin, sheetGap = 6, 12
	captionWidth          = 18
	titleHeight           = 16
	sheetDPI              = 144 // of PNG
)

// Save draws the sheet into files of these paths, which end in .png or .svg. Errors name the file.
func (s Sheet) Save(paths ...string) error {
	width, height := s.size()
	return write(paths, func(format string) (io.WriterTo, error) {
		switch format {
		case "png":
			c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(sheetDPI))
			s.draw(draw.New(c))
			return vgimg.PngCanvas{Canvas: c}, nil
		case "svg":
			c := vgsvg.New(width, height)
			s.draw(draw.New(c))
			return c, nil
		}
		return nil, fmt.Errorf("unsupported format: %q; a sheet is png or svg", format)
	})
}

// bars says which columns have a colour bar.
func (s Sheet) bars() []bool {
	bars := make([]bool, len(s.Panels[0]))
	for _, row := range s.Panels {
		for i, panel := range row {
			if _, ok := panel.(coloured); ok {
				bars[i] = true
			}
		}
	}
	return bars
}

// left and top are the room for captions and title.
func (s Sheet) left() vg.Length {
	if s.Rows == nil {
		return sheetMargin
	}
	return sheetMargin + captionWidth
}

func (s Sheet) top() vg.Length {
	if s.Title == "" {
		return sheetMargin
	}
	return sheetMargin + 22
}

func (s Sheet) bottom() vg.Length {
	if s.Legend == nil {
		return sheetMargin
	}
	return sheetMargin + 18
}

func (s Sheet) size() (width, height vg.Length) {
	rows, columns := vg.Length(len(s.Panels)), vg.Length(len(s.Panels[0]))
	width = s.left() + sheetMargin + columns*vg.Length(s.Width) + (columns-1)*sheetGap
	for _, bar := range s.bars() {
		if bar {
			width += barWidth
		}
	}
	return width, s.top() + s.bottom() + rows*vg.Length(s.Height) + (rows-1)*sheetGap
}

// draw places the panels such that the data of each column and row begin and end at the same lines.
func (s Sheet) draw(canvas draw.Canvas) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	style := blank("").Title.TextStyle
	style.Handler, style.XAlign, style.YAlign = plot.DefaultTextHandler, text.XCenter, text.YTop
	style.Font.Size = vg.Points(12)
	canvas.FillText(style, vg.Point{X: (canvas.Min.X + canvas.Max.X) / 2, Y: canvas.Max.Y - sheetMargin}, s.Title)
	style.Font.Size, style.Rotation, style.YAlign = vg.Points(10), math.Pi/2, text.YTop

	s.legend(canvas)
	bars := s.bars()
	plots, places, titles := make([][]*plot.Plot, len(s.Panels)), make([][]draw.Canvas, len(s.Panels)), make([][]string, len(s.Panels))
	type room struct{ left, right, bottom, top, title vg.Length } // around the data
	columns, rows := make([]room, len(bars)), make([]room, len(s.Panels))
	y := canvas.Max.Y - s.top()
	for i, row := range s.Panels {
		plots[i], places[i], titles[i] = make([]*plot.Plot, len(row)), make([]draw.Canvas, len(row)), make([]string, len(row))
		x := canvas.Min.X + s.left()
		for j, panel := range row {
			place := draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - vg.Length(s.Height)}, Max: vg.Point{X: x + vg.Length(s.Width), Y: y}}}
			places[i][j] = place
			if panel != nil {
				plots[i][j] = panel.plot()
				titles[i][j], plots[i][j].Title.Text = plots[i][j].Title.Text, ""
				if titles[i][j] != "" { // it is written below, in the middle of the data
					rows[i].title = titleHeight
				}
				data := plots[i][j].DataCanvas(place)
				c, r := &columns[j], &rows[i]
				c.left, c.right = max(c.left, data.Min.X-place.Min.X), max(c.right, place.Max.X-data.Max.X)
				r.bottom, r.top = max(r.bottom, data.Min.Y-place.Min.Y), max(r.top, place.Max.Y-data.Max.Y)
			}
			if x += vg.Length(s.Width) + sheetGap; bars[j] {
				x += barWidth
			}
		}
		if s.Rows != nil {
			canvas.FillText(style, vg.Point{X: canvas.Min.X + sheetMargin, Y: y - vg.Length(s.Height)/2}, s.Rows[i])
		}
		y -= vg.Length(s.Height) + sheetGap
	}
	for i, row := range s.Panels {
		for j, panel := range row {
			if panel == nil {
				continue
			}
			place, p := places[i][j], plots[i][j]
			data := p.DataCanvas(place)
			place.Min.X += columns[j].left - (data.Min.X - place.Min.X)
			place.Max.X -= columns[j].right - (place.Max.X - data.Max.X)
			place.Min.Y += rows[i].bottom - (data.Min.Y - place.Min.Y)
			place.Max.Y -= rows[i].title + rows[i].top - (place.Max.Y - data.Max.Y)
			p.Draw(place)
			data = p.DataCanvas(place)
			style.Rotation, style.YAlign = 0, text.YBottom
			canvas.FillText(style, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: data.Max.Y + 4}, titles[i][j])
			if panel, ok := panel.(coloured); ok {
				beside := data
				beside.Min.X, beside.Max.X = beside.Max.X+6, beside.Max.X+6+barWidth
				panel.scale().bar(beside)
			}
		}
	}
}

// legend writes the curves' names beside a piece of their lines, in a row in the middle of the bottom.
func (s Sheet) legend(canvas draw.Canvas) {
	const line, gap, between = 26, 5, 20
	style := blank("").Y.Tick.Label
	style.Handler, style.Font.Size, style.XAlign, style.YAlign = plot.DefaultTextHandler, vg.Points(9), text.XLeft, text.YCenter
	width := vg.Length(len(s.Legend)-1) * between
	for _, c := range s.Legend {
		width += line + gap + style.Width(c.Name)
	}
	x, y := (canvas.Min.X+canvas.Max.X-width)/2, canvas.Min.Y+sheetMargin+6
	for _, c := range s.Legend {
		canvas.StrokeLine2(c.style(), x, y, x+line, y)
		canvas.FillText(style, vg.Point{X: x + line + gap, Y: y}, c.Name)
		x += line + gap + style.Width(c.Name) + between
	}
}
