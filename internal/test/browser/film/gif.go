package main

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"maps"
	"os"
	"slices"
	"time"
)

// mostColors is how many a GIF has: a page is text on few grounds, and needs no more.
const mostColors = 128

// write makes a GIF of the film that goes on for ever. Of each picture it has what is
// different from the one before.
func (f *film) write(path string) error {
	colors := f.colors()
	nearest := map[color.RGBA]uint8{}
	out := gif.GIF{Config: image.Config{ColorModel: color.Palette(colors), Width: width, Height: height}}
	var before *image.Paletted
	for _, s := range f.shots {
		b := s.picture.Bounds()
		now := image.NewPaletted(image.Rect(0, 0, width, height), colors)
		for y := range min(height, b.Dy()) {
			for x := range min(width, b.Dx()) {
				c := color.RGBAModel.Convert(s.picture.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
				i, known := nearest[c]
				if !known {
					i = uint8(color.Palette(colors).Index(c))
					nearest[c] = i
				}
				now.Pix[y*now.Stride+x] = i
			}
		}
		changed := now.Bounds()
		if before != nil {
			changed = difference(before, now)
		}
		hundredths := int(s.stays / (10 * time.Millisecond))
		if changed.Empty() {
			out.Delay[len(out.Delay)-1] += hundredths
			continue
		}
		out.Image = append(out.Image, part(now, changed))
		out.Delay = append(out.Delay, hundredths)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gif.EncodeAll(file, &out); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

func (f *film) colors() []color.Color {
	count := map[color.RGBA]int{}
	for _, s := range f.shots {
		b := s.picture.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				count[color.RGBAModel.Convert(s.picture.At(x, y)).(color.RGBA)]++
			}
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := make([]color.Color, 0, mostColors)
	for _, c := range all[:min(mostColors, len(all))] {
		palette = append(palette, c)
	}
	return palette
}

func difference(a, b *image.Paletted) (r image.Rectangle) {
	for y := range b.Bounds().Dy() {
		for x := range b.Bounds().Dx() {
			if a.Pix[y*a.Stride+x] != b.Pix[y*b.Stride+x] {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func part(p *image.Paletted, of image.Rectangle) *image.Paletted {
	out := image.NewPaletted(of, p.Palette)
	for y := of.Min.Y; y < of.Max.Y; y++ {
		copy(out.Pix[(y-of.Min.Y)*out.Stride:], p.Pix[p.PixOffset(of.Min.X, y):p.PixOffset(of.Max.X-1, y)+1])
	}
	return out
}
