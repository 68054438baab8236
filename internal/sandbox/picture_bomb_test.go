package sandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

func segment(marker byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

func frameOf(marker byte, w, h uint16, components byte) []byte {
	body := append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, h), w), components)
	for i := range components {
		body = append(body, i+1, 0x11, 0)
	}
	return segment(marker, body...)
}

func twoFaced(w, h uint16) []byte {
	data := append([]byte{0xff, 0xd8, 0xff, 0x00}, frameOf(0xc2, w, h, 3)...)
	data = append(data, segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)...)
	data = append(data, make([]byte, 4+0xffc2-len(data))...)
	data = append(data, frameOf(0xc0, 8, 8, 3)...)
	return append(data, segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0)...)
}

// TestTwoFaces proves that a JPEG has the size that its decoder sees. Otherwise it would
// make 30 GB of this one, and end the process.
func TestTwoFaces(t *testing.T) {
	tests := []struct {
		name string
		data []byte
	}{
		{"FF 00 in front of the frame", twoFaced(65_535, 65_535)},
		{"something that does not belong there", append([]byte{0xff, 0xd8, 1, 2, 3}, frameOf(0xc2, 65_535, 65_535, 3)...)},
		{"filling", append([]byte{0xff, 0xd8, 0xff, 0xff, 0xff}, frameOf(0xc2, 65_535, 65_535, 3)...)},
		{"a restart", append([]byte{0xff, 0xd8, 0xff, 0xd0}, frameOf(0xc2, 65_535, 65_535, 3)...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := append(tt.data, segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)...)
			_, err := ReadPictureHeader(typeJPEG, data)
			require.EqualError(t, err, "the picture cannot be shown: it has too many pixels")
		})
	}
	h, err := ReadPictureHeader(typeJPEG, twoFaced(640, 480))
	require.NoError(t, err)
	require.Equal(t, []int{640, 480}, []int{h.Width, h.Height})
	// Should image/jpeg read markers otherwise one day, that is a fault.
	_, _, err = jpegFrame(twoFaced(640, 480), image.Config{Width: 8, Height: 8})
	require.ErrorIs(t, err, errOtherFrame)
}

// TestReckoned proves that what a picture needs is reckoned from the most that its header
// leaves open, and that pictures as people have them are decoded.
func TestReckoned(t *testing.T) {
	cmyk := append([]byte{0xff, 0xd8}, frameOf(0xc0, 6000, 6000, 4)...)
	rgb := append([]byte{0xff, 0xd8}, segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), 0)...)...)
	rgb = append(rgb, frameOf(0xc0, 7000, 7000, 3)...)
	scan := func(data []byte, components byte) []byte {
		body := []byte{components}
		for i := range components {
			body = append(body, i+1, 0)
		}
		return append(data, segment(0xda, append(body, 0, 63, 0)...)...)
	}
	const grey, colours = 0, 2
	tests := []struct {
		name, typ string
		data      []byte
		want      string // empty: it is decoded
	}{
		{"grey, with a shade that may be see-through", typePNG, headPNG(11_000, 11_000, 8, grey, 0), "too many pixels"},
		{"black and white, likewise", typePNG, headPNG(11_000, 11_000, 1, grey, 0), "too many pixels"},
		{"deep grey, likewise", typePNG, headPNG(7500, 7500, 16, grey, 0), "too many pixels"},
		{"interlaced", typePNG, headPNG(7000, 7000, 8, colours, 1), "too many pixels"},
		{"deep colours of 2^59 pixels", typePNG, headPNG(1<<30, 1<<29, 16, colours, 0), "it is too long"},
		{"one row", typePNG, headPNG(134_000_000, 1, 8, grey, 0), "it is too long"},
		{"one column", typePNG, headPNG(1, 65_536, 8, grey, 0), "it is too long"},
		{"CMYK", typeJPEG, scan(cmyk, 4), "too many pixels"},
		{"RGB", typeJPEG, scan(rgb, 3), "too many pixels"},
		{"a sheet at 600 dpi", typePNG, headPNG(4960, 7016, 8, grey, 0), ""},
		{"a screenshot of 50 megapixels", typePNG, headPNG(7000, 7000, 8, colours, 0), ""},
		{"the longest", typePNG, headPNG(65_535, 900, 8, grey, 0), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := ReadPictureHeader(tt.typ, tt.data)
			if tt.want == "" {
				require.NoError(t, err)
				require.Positive(t, h.memory)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
	require.EqualValues(t, 65_535*42*4, rowsMemory(65_535, 1000), "as much as halve holds")
}

func bytesIn(m image.Image) int64 {
	switch m := m.(type) {
	case *image.YCbCr:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr))
	case *image.NYCbCrA:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr) + len(m.A))
	case *image.Gray:
		return int64(len(m.Pix))
	case *image.Gray16:
		return int64(len(m.Pix))
	case *image.Paletted:
		return int64(len(m.Pix))
	case *image.RGBA:
		return int64(len(m.Pix))
	case *image.NRGBA:
		return int64(len(m.Pix))
	case *image.RGBA64:
		return int64(len(m.Pix))
	case *image.NRGBA64:
		return int64(len(m.Pix))
	case *image.CMYK:
		return int64(len(m.Pix))
	}
	return 1 << 62
}

func seeds(f *testing.F) {
	var b bytes.Buffer
	for _, encode := range []func() error{
		func() error { return png.Encode(&b, halves(9, 5)) },
		func() error { return png.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 5))) },
		func() error { return png.Encode(&b, image.NewGray16(image.Rect(0, 0, 9, 5))) },
		func() error { return jpeg.Encode(&b, halves(9, 5), nil) },
		func() error { return jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 5)), nil) },
		func() error { return gif.Encode(&b, halves(9, 5), nil) },
	} {
		b.Reset()
		if err := encode(); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(b.Bytes()))
	}
	webp, _ := base64.StdEncoding.DecodeString(webpPixel)
	f.Add(webp)
	f.Add(hugePNG(40_000, 40_000))
	f.Add(twoFaced(64, 48))
	f.Add(manyScans(64, 3))
}

// FuzzDecode looks for files of which a decoder makes another picture than the header
// promises, or one that needs more.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, typ := range []string{typeJPEG, typePNG, typeGIF, typeWebP} {
			h, err := parsePictureHeader(typ, data)
			if errors.Is(err, errOtherFrame) {
				t.Fatal("we read the markers otherwise than image/jpeg")
			}
			if err != nil || h.Width*h.Height > 1<<18 {
				continue
			}
			m, err := decodePicture(t.Context(), typ, data)
			if err != nil {
				continue
			}
			width, height := m.Bounds().Dx(), m.Bounds().Dy()
			if h.turned.sideways() {
				width, height = height, width
			}
			if typ == typeGIF && width <= h.Width && height <= h.Height { // the first frame may be smaller
				width, height = h.Width, h.Height
			}
			if width != h.Width || height != h.Height || bytesIn(m) > h.memory {
				t.Fatalf("%s: %d×%d in %d bytes, the header says %d×%d in %d", typ, width, height, bytesIn(m), h.Width, h.Height, h.memory)
			}
		}
	})
}

// FuzzShrink looks for files that break what is made of a decoded picture, or that it
// takes for ever with.
func FuzzShrink(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, typ := range []string{typeJPEG, typePNG, typeGIF, typeWebP} {
			h, err := ReadPictureHeader(typ, data)
			if err != nil || h.Width*h.Height > 1<<20 {
				continue
			}
			if shown, err := (PictureShrinker{}).Shrink(t.Context(), typ, data); err == nil && max(shown.Width, shown.Height) > MaxPictureSide {
				t.Fatalf("%d×%d", shown.Width, shown.Height)
			}
		}
	})
}
