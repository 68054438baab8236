package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	stddraw "image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Bounds of what a model is shown.
const (
	// MaxSide is the longer side, in pixels. Providers scale larger pictures down
	// themselves: https://platform.openai.com/docs/guides/images-vision#calculating-costs,
	// https://docs.claude.com/en/docs/build-with-claude/vision#evaluate-image-size
	MaxSide = 1536
	// maxBytes is what a picture has, unless it cannot be made so small.
	maxBytes = 400_000
)

// Shown is a picture as a model is shown it.
type Shown struct {
	Type          string // image/jpeg or image/png
	Width, Height int
	Data          []byte
}

// shrinkHere makes of the file of a picture what a model is shown. An error is a *[Fault], or
// that ctx has ended.
func shrinkHere(ctx context.Context, typ string, data []byte) (Shown, error) {
	h, err := ReadHeader(typ, data)
	if err != nil {
		return Shown{}, err
	}
	if typ == typeJPEG && passes(data) > maxPasses {
		return Shown{}, fault("it has too many passes")
	}
	m, err := decode(ctx, typ, data)
	switch {
	case err != nil && ctx.Err() != nil:
		return Shown{}, context.Cause(ctx)
	case err != nil:
		return Shown{}, fault("the file is broken")
	}
	small := h.turned.upright(scale(m))
	out := Shown{Width: small.Rect.Dx(), Height: small.Rect.Dy()}
	if out.Type, out.Data, err = encode(small, typ != typeJPEG); err != nil {
		return Shown{}, fault("it cannot be encoded")
	}
	return out, nil
}

func decode(ctx context.Context, typ string, data []byte) (m image.Image, err error) {
	defer recovered(&err)
	r := &untilDone{ctx: ctx, r: bytes.NewReader(data)}
	switch typ {
	case typeJPEG:
		m, err = jpeg.Decode(r)
	case typePNG:
		m, err = png.Decode(r)
	case typeGIF:
		m, err = gif.Decode(r)
	case typeWebP:
		m, err = webp.Decode(r)
	default:
		return nil, errors.ErrUnsupported
	}
	return m, err
}

// untilDone is a reader that ends with its context. It reads a little at a time: of a
// few bytes a decoder can make much work.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(p[:min(len(p), 512)])
}

// scale returns m on white, with the longer side MaxSide at most.
func scale(m image.Image) *image.RGBA {
	m = halve(m)
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > MaxSide {
		w, h = max(w*MaxSide/longest, 1), max(h*MaxSide/longest, 1)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	stddraw.Draw(out, out.Rect, image.White, image.Point{}, stddraw.Src)
	draw.ApproxBiLinear.Scale(out, out.Rect, m, b, draw.Over, nil)
	return out
}

// halve makes of a picture that is at least twice too large one that is not, each pixel
// the mean of those that it replaces. The scalers of x/image that do as well hold
// 32 bytes for each pixel of the result's width and the picture's height.
func halve(m image.Image) image.Image {
	b := m.Bounds()
	n := max(b.Dx(), b.Dy()) / MaxSide
	if n < 2 {
		return m
	}
	w, h := max(b.Dx()/n, 1), max(b.Dy()/n, 1)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	rows := image.NewRGBA(image.Rect(0, 0, b.Dx(), min(n, b.Dy())))
	for y := range h {
		stddraw.Draw(rows, rows.Rect, image.White, image.Point{}, stddraw.Src)
		stddraw.Draw(rows, rows.Rect, m, image.Pt(b.Min.X, b.Min.Y+y*n), stddraw.Over)
		for x := range w {
			mean(rows, x*n, min(n, b.Dx()-x*n), out.Pix[out.PixOffset(x, y):][:4])
		}
	}
	return out
}

// rowsOf is how many bytes halve needs for the rows that become one.
func rowsOf(width, height int) int64 {
	return 4 * int64(width) * int64(min(max(width, height)/MaxSide, height))
}

func mean(rows *image.RGBA, from, width int, pixel []byte) {
	var r, g, b int
	height := rows.Rect.Dy()
	for y := range height {
		at := rows.PixOffset(from, y)
		for p := rows.Pix[at : at+4*width]; len(p) > 0; p = p[4:] {
			r, g, b = r+int(p[0]), g+int(p[1]), b+int(p[2])
		}
	}
	n := width * height
	pixel[0], pixel[1], pixel[2], pixel[3] = byte((r+n/2)/n), byte((g+n/2)/n), byte((b+n/2)/n), 0xff
}

// encode writes m, exactly where that is small enough and drawn asks for it: text on
// screens suffers from JPEG.
func encode(m *image.RGBA, drawn bool) (typ string, data []byte, err error) {
	var b bytes.Buffer
	if drawn {
		if err := png.Encode(&b, m); err != nil {
			return "", nil, err
		}
		if b.Len() <= maxBytes {
			return typePNG, b.Bytes(), nil
		}
	}
	for _, quality := range []int{85, 70, 55, 40} {
		b.Reset()
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
			return "", nil, err
		}
		if b.Len() <= maxBytes {
			break
		}
	}
	return typeJPEG, b.Bytes(), nil
}
