package sandbox

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

// Limits of a picture for a model.
const (
	// MaxPictureSide is the longer side, in pixels. Providers scale larger pictures down
	// themselves: https://platform.openai.com/docs/guides/images-vision#calculating-costs,
	// https://docs.claude.com/en/docs/build-with-claude/vision#evaluate-image-size
	MaxPictureSide = 1536
	// maxPictureBytes is exceeded only if a picture cannot be made smaller.
	maxPictureBytes = 400_000
)

// A ShownPicture is a picture for a model.
type ShownPicture struct {
	Type          string // image/jpeg or image/png
	Width, Height int
	Data          []byte
}

// shrinkHere shrinks a picture in this process. The error is a *[PictureFault] or the
// cause of ctx.
func shrinkHere(ctx context.Context, typ string, data []byte) (ShownPicture, error) {
	h, err := ReadPictureHeader(typ, data)
	if err != nil {
		return ShownPicture{}, err
	}
	if typ == typeJPEG && jpegPasses(data) > maxJPEGPasses {
		return ShownPicture{}, pictureFault("it has too many passes")
	}
	m, err := decodePicture(ctx, typ, data)
	switch {
	case err != nil && ctx.Err() != nil:
		return ShownPicture{}, context.Cause(ctx)
	case err != nil:
		return ShownPicture{}, pictureFault("the file is broken")
	}
	small := h.turned.upright(scalePicture(m))
	out := ShownPicture{Width: small.Rect.Dx(), Height: small.Rect.Dy()}
	if out.Type, out.Data, err = encodePicture(small, typ != typeJPEG); err != nil {
		return ShownPicture{}, pictureFault("it cannot be encoded")
	}
	return out, nil
}

func decodePicture(ctx context.Context, typ string, data []byte) (m image.Image, err error) {
	defer recoverDecoder(&err)
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

// untilDone reads a little at a time until ctx ends, because a few bytes can cause much work.
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

func scalePicture(m image.Image) *image.RGBA {
	m = halvePicture(m)
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > MaxPictureSide {
		w, h = max(w*MaxPictureSide/longest, 1), max(h*MaxPictureSide/longest, 1)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	stddraw.Draw(out, out.Rect, image.White, image.Point{}, stddraw.Src)
	draw.ApproxBiLinear.Scale(out, out.Rect, m, b, draw.Over, nil)
	return out
}

// halvePicture averages pixels until the picture is less than twice the maximum size.
// Scalers of x/image with the same quality need 32 bytes for each column of the result and
// row of the picture.
func halvePicture(m image.Image) image.Image {
	b := m.Bounds()
	n := max(b.Dx(), b.Dy()) / MaxPictureSide
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
			meanPixel(rows, x*n, min(n, b.Dx()-x*n), out.Pix[out.PixOffset(x, y):][:4])
		}
	}
	return out
}

// rowsMemory returns the size in bytes of the rows that halvePicture averages.
func rowsMemory(width, height int) int64 {
	return 4 * int64(width) * int64(min(max(width, height)/MaxPictureSide, height))
}

func meanPixel(rows *image.RGBA, from, width int, pixel []byte) {
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

// encodePicture encodes a drawn picture as PNG if the result is small enough, because
// JPEG blurs text.
func encodePicture(m *image.RGBA, drawn bool) (typ string, data []byte, err error) {
	var b bytes.Buffer
	if drawn {
		if err := png.Encode(&b, m); err != nil {
			return "", nil, err
		}
		if b.Len() <= maxPictureBytes {
			return typePNG, b.Bytes(), nil
		}
	}
	for _, quality := range []int{85, 70, 55, 40} {
		b.Reset()
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
			return "", nil, err
		}
		if b.Len() <= maxPictureBytes {
			break
		}
	}
	return typeJPEG, b.Bytes(), nil
}
