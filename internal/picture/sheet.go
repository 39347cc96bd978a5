package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"io"
	"path/filepath"

	"github.com/clusterpool/ccp/internal/files"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sheet is one picture of several plots in rows. All plots have one size, and each has its title above it.
type Sheet struct {
	Title         string
	Panels        [][]*plot.Plot // rows of one length, from the top; nil leaves a place empty
	Width, Height vg.Length      // of a panel, with its axes and the bar of its colours, in points
}

const (
	sheetMargin, sheetGap = 6, 12
	titleHeight           = 20
	sheetDPI, inlineDPI   = 144, 110 // of PNG
)

// Save draws one plot into files. Their paths end in .png or .svg. Errors name the file.
func Save(p *plot.Plot, width, height vg.Length, paths ...string) error {
	return Sheet{Panels: [][]*plot.Plot{{p}}, Width: width, Height: height}.Save(paths...)
}

// Inline draws a plot of the nodes as a PNG in a data URL. Pixels and points have no axes, no title, and a transparent
// ground.
func (l *Layout) Inline(p *plot.Plot) (string, error) {
	width, height, dpi := vg.Length(240), vg.Length(240), 72
	p.Title.Text = ""
	if l.Kind == OverTime {
		width, height = l.Size()
		dpi = inlineDPI
	} else {
		p.HideAxes()
		p.X.Label.Text, p.Y.Label.Text, p.BackgroundColor = "", "", color.Transparent
	}
	if l.Kind == OnGrid {
		side := max(2, 320/max(l.Rows, l.Columns)) // whole pixels for a cell are sharp, and make a small file
		width, height = vg.Length(side*l.Columns), vg.Length(side*l.Rows)
	}
	canvas := vgimg.NewWith(vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(p.BackgroundColor), vgimg.UseWH(width, height))
	p.Draw(draw.New(canvas))
	drawn := canvas.Image()
	if l.Kind == OverTime { // few colours make a small file
		colours := signed(nil).Palette(48).Colors()
		for grey := range 16 {
			colours = append(colours, color.Gray{uint8(17 * grey)})
		}
		few := image.NewPaletted(drawn.Bounds(), colours)
		imagedraw.Draw(few, few.Rect, drawn, few.Rect.Min, imagedraw.Src)
		drawn = few
	}
	var raw bytes.Buffer
	err := png.Encode(&raw, drawn)
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(raw.Bytes()), err
}

// Endings are the endings of a picture's name.
var Endings = []string{".png", ".svg"}

// Save draws the sheet into files. Their paths end in one of Endings. Errors name the file.
func (s Sheet) Save(paths ...string) error {
	tiles, width, height := s.tiles()
	for _, path := range paths {
		var canvas vg.CanvasWriterTo
		switch filepath.Ext(path) {
		case ".png":
			canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(sheetDPI))}
		case ".svg":
			canvas = vgsvg.New(width, height)
		default:
			return fmt.Errorf("%s: a picture's name ends in .png or .svg", path)
		}
		s.draw(draw.NewCanvas(canvas, width, height), tiles)
		if err := files.Write(path, func(w io.Writer) error { _, err := canvas.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return nil
}

// tiles returns how the panels lie on the sheet, and its size.
func (s Sheet) tiles() (t draw.Tiles, width, height vg.Length) {
	t = draw.Tiles{Rows: len(s.Panels), Cols: len(s.Panels[0]), PadX: sheetGap, PadY: sheetGap,
		PadLeft: sheetMargin, PadRight: sheetMargin, PadTop: sheetMargin, PadBottom: sheetMargin}
	if s.Title != "" {
		t.PadTop += titleHeight
	}
	return t, t.PadLeft + t.PadRight + vg.Length(t.Cols)*(s.Width+t.PadX) - t.PadX,
		t.PadTop + t.PadBottom + vg.Length(t.Rows)*(s.Height+t.PadY) - t.PadY
}

// draw places the panels so that the data of a column, or of a row, have the same edges.
func (s Sheet) draw(canvas draw.Canvas, tiles draw.Tiles) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	style := words(12, text.XCenter, text.YTop)
	canvas.FillText(style, vg.Point{X: canvas.Center().X, Y: canvas.Max.Y - sheetMargin}, s.Title)
	for row, canvases := range plot.Align(s.Panels, tiles, canvas) {
		for column, place := range canvases {
			if p := s.Panels[row][column]; p != nil {
				p.Draw(place)
			}
		}
	}
}

// blank returns a plot without anything but a title.
func blank(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.Padding, p.Title.TextStyle.Font = title, vg.Points(4), sans(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding, axis.Label.TextStyle.Font, axis.Tick.Label.Font = 0, sans(8), sans(8)
	}
	return p
}

// sans returns the font without serifs, of a size in points.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans", Size: size}
}

// words returns the style of a text in that font.
func words(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}
