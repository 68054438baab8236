package sandbox

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

const (
	typeJPEG = "image/jpeg"
	typePNG  = "image/png"
	typeGIF  = "image/gif"
	typeWebP = "image/webp"
)

// Limits of pictures that are decoded.
const (
	// maxPictureMemory is in bytes, enough for a photo of 100 megapixels or a PNG of 60.
	maxPictureMemory = 256 << 20
	// longestSide is a JPEG's limit, in pixels. Products of two sides never overflow.
	longestSide = 1<<16 - 1
)

// A PictureFault says why a picture can never be shown. Agents read it.
type PictureFault struct{ Why string }

func (f *PictureFault) Error() string { return "the picture cannot be shown: " + f.Why }

func pictureFault(format string, args ...any) *PictureFault {
	return &PictureFault{fmt.Sprintf(format, args...)}
}

// A PictureHeader describes a picture, from the start of its file.
type PictureHeader struct {
	Width, Height int // of the upright picture

	turned orientation
	memory int64 // estimated bytes for decoding
}

// ReadPictureHeader parses the start of a picture file of the MIME type typ. Errors are
// *[PictureFault].
func ReadPictureHeader(typ string, head []byte) (PictureHeader, error) {
	h, err := parsePictureHeader(typ, head)
	var f *PictureFault
	switch {
	case err == nil || errors.As(err, &f):
		return h, err
	}
	return h, pictureFault("the file is broken")
}

func parsePictureHeader(typ string, head []byte) (h PictureHeader, err error) {
	defer recoverDecoder(&err)
	var cfg image.Config
	var bytesOf float64 // bytes per pixel for decoding
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
		return h, pictureFault("it is %s; JPEG, PNG, GIF and WebP can be shown", typ)
	}
	if err != nil {
		return h, err
	}
	return h, h.check(cfg.Width, cfg.Height, bytesOf)
}

func (h *PictureHeader) check(width, height int, bytesOf float64) error {
	h.Width, h.Height = width, height
	if h.turned.sideways() {
		h.Width, h.Height = height, width
	}
	switch {
	case width <= 0 || height <= 0:
		return pictureFault("it has no pixels")
	case max(width, height) > longestSide:
		return pictureFault("it is too long: a side may have %d pixels", longestSide)
	}
	if h.memory = pictureMemory(width, height, bytesOf); h.memory > maxPictureMemory {
		return pictureFault("it has too many pixels")
	}
	return nil
}

// pictureMemory estimates the bytes for decoding. Decoders round a JPEG's sides up to
// whole blocks.
func pictureMemory(width, height int, bytesOf float64) int64 {
	const block = 32 // pixels, at most
	up := func(n int) int64 { return int64(n+block-1) / block * block }
	return int64(float64(up(width)*up(height))*bytesOf) + rowsMemory(width, height)
}

// pngBytes counts grey as colour: a later chunk can make one shade transparent, and the
// decoder then uses colour.
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
	const interlace = 28 // the last byte of IHDR, which is the first chunk
	if len(head) > interlace && head[interlace] != 0 {
		n *= 2 // the decoder holds a part of the picture in addition to the whole
	}
	return n
}

func recoverDecoder(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the decoder panics: %v", r)
	}
}
