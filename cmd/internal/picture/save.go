package picture

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// blank is a plot without anything but a title, and words in a font without serifs.
func blank(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, vg.Points(4)
	p.Title.TextStyle.Font = words(10).Font
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = words(8).Font
	}
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	return p
}

// write writes what is drawn in the format that each path's ending says, all or nothing. Errors name the file.
func write(paths []string, drawn func(format string) (io.WriterTo, error)) error {
	for _, path := range paths {
		picture, err := drawn(strings.TrimPrefix(filepath.Ext(path), "."))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := files.Write(path, func(w io.Writer) error { _, err := picture.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return nil
}

// words is the style of a text in a font without serifs, in points.
func words(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans", Size: size}, Handler: plot.DefaultTextHandler}
}

// number writes a cluster's number on a white disc.
func number(canvas draw.Canvas, at vg.Point, cluster int) {
	disc := draw.GlyphStyle{Color: color.White, Radius: vg.Points(5), Shape: draw.CircleGlyph{}}
	canvas.DrawGlyph(disc, at)
	disc.Color, disc.Shape = color.Gray{0x40}, draw.RingGlyph{}
	canvas.DrawGlyph(disc, at)
	style := words(6)
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	canvas.FillText(style, at, fmt.Sprint(cluster))
}
