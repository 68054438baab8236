package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
)

// The types that can be shown.
const (
	typeJPEG = "image/jpeg"
	typePNG  = "image/png"
	typeGIF  = "image/gif"
	typeWebP = "image/webp"
)

// Bounds of what is decoded.
const (
	// maxMemory is how much may be needed for one picture, in bytes: for a photo of 100
	// megapixels as cameras write it, or a PNG of 60.
	maxMemory = 256 << 20
	// longestSide is what a JPEG can have, in pixels. No product of two sides that are
	// no longer overflows.
	longestSide = 1<<16 - 1
)

// A Fault is why a picture cannot be shown, now or later, in words for an agent.
type Fault struct{ Why string }

func (f *Fault) Error() string { return "the picture cannot be shown: " + f.Why }

func fault(format string, args ...any) *Fault { return &Fault{fmt.Sprintf(format, args...)} }

// A Header is what the beginning of a file says of its picture.
type Header struct {
	Width, Height int // as it is to be seen: upright

	turned orientation
	memory int64 // that decoding needs, about
}

// ReadHeader reads the header of a picture of a MIME type, from the beginning of its
// file. Errors are *[Fault].
func ReadHeader(typ string, head []byte) (Header, error) {
	h, err := readHeader(typ, head)
	var f *Fault
	switch {
	case err == nil || errors.As(err, &f):
		return h, err
	}
	return h, fault("the file is broken")
}

func readHeader(typ string, head []byte) (h Header, err error) {
	defer recovered(&err)
	var cfg image.Config
	var bytesOf float64 // that decoding a pixel needs
	switch typ {
	case typeJPEG:
		if cfg, err = jpeg.DecodeConfig(bytes.NewReader(head)); err == nil {
			h.turned, bytesOf, err = jpegFrame(head, cfg)
		}
	case typePNG:
		cfg, err = png.DecodeConfig(bytes.NewReader(head))
		h.turned = pngOrientation(head)
		bytesOf = pngBytes(cfg.ColorModel, head)
	case typeGIF:
		cfg, err = gif.DecodeConfig(bytes.NewReader(head))
		bytesOf = 2
	case typeWebP:
		cfg, err = webp.DecodeConfig(bytes.NewReader(head))
		h.turned = webpOrientation(head)
		bytesOf = 12
	default:
		return h, fault("it is %s; JPEG, PNG, GIF and WebP can be shown", typ)
	}
	if err != nil {
		return h, err
	}
	return h, h.check(cfg.Width, cfg.Height, bytesOf)
}

func (h *Header) check(width, height int, bytesOf float64) error {
	h.Width, h.Height = width, height
	if h.turned.sideways() {
		h.Width, h.Height = height, width
	}
	switch {
	case width <= 0 || height <= 0:
		return fault("it has no pixels")
	case max(width, height) > longestSide:
		return fault("it is too long: a side may have %d pixels", longestSide)
	}
	if h.memory = memoryOf(width, height, bytesOf); h.memory > maxMemory {
		return fault("it has too many pixels")
	}
	return nil
}

// memoryOf is what decoding and halving need. Decoders round a JPEG's sides up to a
// whole number of blocks.
func memoryOf(width, height int, bytesOf float64) int64 {
	const block = 32 // pixels, at most
	up := func(n int) int64 { return int64(n+block-1) / block * block }
	return int64(float64(up(width)*up(height))*bytesOf) + rowsOf(width, height)
}

// pngBytes is what a pixel of a PNG needs. A chunk behind what DecodeConfig reads can say
// that one shade is see-through: grey is decoded to colours then.
func pngBytes(m color.Model, head []byte) float64 {
	n := 4.
	switch m := m.(type) {
	case color.Palette:
		n = 1
	default:
		if m == color.RGBA64Model || m == color.NRGBA64Model || m == color.Gray16Model {
			n = 8
		}
	}
	const interlace = 28 // the last byte of IHDR, which comes first
	if len(head) > interlace && head[interlace] != 0 {
		n *= 2 // a part of the picture is decoded beside the whole
	}
	return n
}

// recovered makes an error of a decoder that panics.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the decoder panics: %v", r)
	}
}
