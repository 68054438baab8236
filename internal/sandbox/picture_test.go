package sandbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	red  = color.RGBA{200, 0, 0, 255}
	blue = color.RGBA{0, 0, 200, 255}
)

// halves is a picture that is red in its left half and blue in its right one, with a
// white corner: one sees how it is turned.
func halves(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			switch {
			case x < w/4 && y < h/4:
				m.Set(x, y, color.White)
			case x < w/2:
				m.Set(x, y, red)
			default:
				m.Set(x, y, blue)
			}
		}
	}
	return m
}

func asPNG(t *testing.T, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func asJPEG(t *testing.T, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

func exif(order binary.AppendByteOrder, value uint16) []byte {
	head := "II*\x00"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = "MM\x00*"
	}
	b := order.AppendUint32([]byte(head), 8)
	b = order.AppendUint16(b, 2)
	entry := func(tag, typ uint16, count uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), typ), count)
	}
	entry(0x010e, 2, 40)
	b = order.AppendUint32(b, 38)
	entry(0x0112, 3, 1)
	b = order.AppendUint16(order.AppendUint16(b, value), 0)
	b = order.AppendUint32(b, 0)
	return append(b, "at home, 59.91 N 10.75 E, by Ana Example"...)
}

func withEXIF(data []byte, order binary.AppendByteOrder, value uint16) []byte {
	body := append([]byte("Exif\x00\x00"), exif(order, value)...)
	segment := append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2)), body...)
	return append(append(bytes.Clone(data[:2]), segment...), data[2:]...)
}

func withChunk(data []byte, name string, body []byte) []byte {
	chunk := append([]byte(name), body...)
	whole := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), chunk...)
	whole = binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(chunk))
	at := 8 + 25 // behind the signature and IHDR
	return append(append(bytes.Clone(data[:at]), whole...), data[at:]...)
}

func shrink(t *testing.T, typ string, data []byte) (ShownPicture, image.Image) {
	t.Helper()
	shown, err := PictureShrinker{}.Shrink(t.Context(), typ, data)
	require.NoError(t, err)
	m, format, err := image.Decode(bytes.NewReader(shown.Data))
	require.NoError(t, err)
	require.Equal(t, "image/"+format, shown.Type)
	require.Equal(t, image.Pt(shown.Width, shown.Height), m.Bounds().Size())
	require.LessOrEqual(t, max(shown.Width, shown.Height), MaxPictureSide)
	require.LessOrEqual(t, len(shown.Data), maxPictureBytes)
	return shown, m
}

func near(t *testing.T, want color.RGBA, got color.Color) {
	t.Helper()
	r, g, b, _ := got.RGBA()
	for i, pair := range [][2]int{{int(want.R), int(r >> 8)}, {int(want.G), int(g >> 8)}, {int(want.B), int(b >> 8)}} {
		require.InDelta(t, pair[0], pair[1], 12, "channel %d of %v, want %v", i, got, want)
	}
}

// TestShrink proves that a picture of each kind is shown, of bounded size, with its
// colours, always with the same bytes, and small ones as they are.
func TestShrink(t *testing.T) {
	large := halves(3200, 2401)
	tests := []struct {
		name, typ, shown string
		data             []byte
		width, height    int
	}{
		{"a photo", typeJPEG, typeJPEG, asJPEG(t, large), 1536, 1152},
		{"a screenshot", typePNG, typePNG, asPNG(t, large), 1536, 1152},
		{"a small one", typePNG, typePNG, asPNG(t, halves(20, 10)), 20, 10},
		{"one pixel", typePNG, typePNG, asPNG(t, halves(1, 1)), 1, 1},
		{"a thin one", typePNG, typePNG, asPNG(t, halves(20_000, 3)), 1536, 1},
		{"grey", typeJPEG, typeJPEG, asJPEG(t, image.NewGray(image.Rect(0, 0, 3500, 100))), 1536, 43},
		{"deep colours", typePNG, typePNG, asPNG(t, image.NewNRGBA64(image.Rect(0, 0, 2000, 1000))), 1536, 768},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shown, m := shrink(t, tt.typ, tt.data)
			require.Equal(t, []any{tt.shown, tt.width, tt.height}, []any{shown.Type, shown.Width, shown.Height})
			again, _ := shrink(t, tt.typ, tt.data)
			require.Equal(t, shown.Data, again.Data)
			if tt.width >= 20 && tt.height >= 10 && tt.name != "grey" && tt.name != "deep colours" {
				near(t, red, m.At(tt.width*3/8, tt.height*3/4))
				near(t, blue, m.At(tt.width*3/4, tt.height*3/4))
				near(t, color.RGBA{255, 255, 255, 255}, m.At(tt.width/8, tt.height/8))
			}
		})
	}
	_, m := shrink(t, typePNG, asPNG(t, image.NewNRGBA(image.Rect(0, 0, 3200, 10)))) // see-through
	near(t, color.RGBA{255, 255, 255, 255}, m.At(5, 1))
	_, err := PictureShrinker{}.Shrink(canceled(t), typePNG, asPNG(t, large))
	require.ErrorIs(t, err, context.Canceled)
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestNoise proves that a picture that does not compress well is bounded too.
func TestNoise(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 800, 800))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	shown, err := PictureShrinker{}.Shrink(t.Context(), typePNG, asPNG(t, m))
	require.NoError(t, err)
	require.Equal(t, typeJPEG, shown.Type)
	require.Less(t, len(shown.Data), 3*maxPictureBytes)
}

// TestUpright proves that photos are shown as they were taken, however the camera was
// held, and that what it wrote beside them is not shown.
func TestUpright(t *testing.T) {
	white := color.RGBA{255, 255, 255, 255}
	// Where the white corner of the stored picture is to be seen: left or right, top or bottom.
	corners := []struct{ right, bottom, sideways bool }{
		1: {}, 2: {right: true}, 3: {right: true, bottom: true}, 4: {bottom: true},
		5: {sideways: true}, 6: {right: true, sideways: true}, 7: {right: true, bottom: true, sideways: true}, 8: {bottom: true, sideways: true},
	}
	stored := halves(400, 200)
	for value, want := range corners {
		if value == 0 {
			continue
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for typ, data := range map[string][]byte{
				typeJPEG: withEXIF(asJPEG(t, stored), order, uint16(value)),
				typePNG:  withChunk(asPNG(t, stored), "eXIf", exif(order, uint16(value))),
			} {
				t.Run(fmt.Sprint(value, order, typ), func(t *testing.T) {
					shown, m := shrink(t, typ, data)
					w, h := 400, 200
					if want.sideways {
						w, h = h, w
					}
					require.Equal(t, []int{w, h}, []int{shown.Width, shown.Height})
					x, y := w/16, h/16
					if want.right {
						x = w - 1 - x
					}
					if want.bottom {
						y = h - 1 - y
					}
					near(t, white, m.At(x, y))
					near(t, blue, m.At(w-1-x, h-1-y))
					header, err := ReadPictureHeader(typ, data)
					require.NoError(t, err)
					require.Equal(t, []int{w, h}, []int{header.Width, header.Height})
					for _, private := range []string{"Exif", "Ana Example", "59.91"} {
						require.NotContains(t, string(shown.Data), private)
					}
				})
			}
		}
	}
	for _, value := range []uint16{0, 9, 65535} {
		shown, _ := shrink(t, typeJPEG, withEXIF(asJPEG(t, stored), binary.LittleEndian, value))
		require.Equal(t, 400, shown.Width)
	}
}

// TestFirstFrame proves that of an animation the first frame is shown, and the others are
// not even decoded.
func TestFirstFrame(t *testing.T) {
	frame := func(c color.Color) *image.Paletted {
		m := image.NewPaletted(image.Rect(0, 0, 60, 40), color.Palette{c, color.Black})
		return m
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame(red), frame(blue)}, Delay: []int{10, 10}}))
	shown, m := shrink(t, typeGIF, b.Bytes())
	require.Equal(t, []int{60, 40}, []int{shown.Width, shown.Height})
	near(t, red, m.At(30, 20))
	_, m = shrink(t, typeGIF, b.Bytes()[:b.Len()-12]) // the second frame is cut off
	near(t, red, m.At(30, 20))
}

const webpPixel = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

// TestWebP proves that WebP is shown.
func TestWebP(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(webpPixel)
	require.NoError(t, err)
	shown, _ := shrink(t, typeWebP, data)
	require.Equal(t, []int{1, 1}, []int{shown.Width, shown.Height})
	turned := append(bytes.Clone(data), "EXIF"...)
	body := exif(binary.LittleEndian, 6)
	turned = append(binary.LittleEndian.AppendUint32(turned, uint32(len(body))), body...)
	require.Equal(t, orientation(6), webpOrientation(turned))
}

func hugePNG(w, h uint32) []byte { return headPNG(w, h, 8, 6, 0) }

// headPNG is the header of a PNG (ISO 15948, 11.2.2).
func headPNG(w, h uint32, depth, colour, interlace byte) []byte {
	body := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h), depth, colour, 0, 0, interlace)
	chunk := append([]byte("IHDR"), body...)
	data := append([]byte("\x89PNG\r\n\x1a\n"), binary.BigEndian.AppendUint32(nil, uint32(len(body)))...)
	return binary.BigEndian.AppendUint32(append(data, chunk...), crc32.ChecksumIEEE(chunk))
}

func resized(t *testing.T, data []byte, w, h uint16, kind byte) []byte {
	data = bytes.Clone(data)
	at := bytes.Index(data, []byte{0xff, 0xc0})
	require.Positive(t, at)
	data[at+1] = kind
	binary.BigEndian.PutUint16(data[at+5:], h)
	binary.BigEndian.PutUint16(data[at+7:], w)
	return data
}

func scanned(t *testing.T, data []byte, n int) []byte {
	at := bytes.Index(data, []byte{0xff, 0xda})
	require.Positive(t, at)
	scan := data[at : len(data)-2]
	data = slices.Concat(data[:at], bytes.Repeat(scan, n), data[len(data)-2:])
	data[bytes.Index(data, []byte{0xff, 0xc0})+1] = 0xc2
	return data
}

// TestFaults proves that a picture that cannot be shown is not decoded, or not for long, and that
// the error says why.
func TestFaults(t *testing.T) {
	photo := asJPEG(t, halves(64, 64))
	gifHead := append([]byte("GIF89a"), 0xff, 0xff, 0xff, 0xff, 0, 0, 0)
	webp, err := base64.StdEncoding.DecodeString(webpPixel)
	require.NoError(t, err)
	bigWebP := bytes.Clone(webp)
	copy(bigWebP[26:], []byte{0xff, 0x3f, 0xff, 0x3f})
	tests := []struct {
		name, typ string
		data      []byte
		want      string
	}{
		{"a bomb", typePNG, hugePNG(50_000, 50_000), "too many pixels"},
		{"the largest PNG", typePNG, hugePNG(1<<31-1, 1<<31-1), "broken"},
		{"a JPEG of four gigapixels", typeJPEG, resized(t, photo, 65_535, 65_535, 0xc0), "too many pixels"},
		{"a progressive JPEG, which needs more", typeJPEG, resized(t, photo, 8000, 6000, 0xc2), "too many pixels"},
		{"a JPEG without height", typeJPEG, resized(t, photo, 64, 0, 0xc0), ""},
		{"a GIF of four gigapixels", typeGIF, gifHead, "too many pixels"},
		{"a WebP of 268 megapixels", typeWebP, bigWebP, "too many pixels"},
		{"half a photo", typeJPEG, photo[:len(photo)/2], "broken"},
		{"a head and nothing else", typePNG, hugePNG(10, 10), "broken"},
		{"nothing", typeJPEG, nil, "broken"},
		{"something else", typePNG, []byte("<html>"), "broken"},
		{"a JPEG that goes over itself again and again", typeJPEG, scanned(t, photo, maxJPEGPasses+1), "too many passes"},
		{"an iPhone's", "image/heic", photo, "it is image/heic; JPEG, PNG, GIF and WebP can be shown"},
		{"a drawing", "image/svg+xml", []byte("<svg/>"), "it is image/svg+xml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := PictureShrinker{}.Shrink(t.Context(), tt.typ, tt.data)
			var f *PictureFault
			require.ErrorAs(t, err, &f)
			require.Contains(t, f.Why, tt.want)
		})
	}
	require.Equal(t, 1, jpegPasses(photo))
	require.Equal(t, 1, jpegPasses(withEXIF(slices.Concat(photo, photo), binary.LittleEndian, 6)), "what stands behind its end is no picture of it")
	require.Equal(t, maxJPEGPasses, jpegPasses(scanned(t, photo, maxJPEGPasses)))
	large, err := ReadPictureHeader(typeJPEG, resized(t, photo, 8000, 6000, 0xc0))
	require.NoError(t, err, "a photo of 48 megapixels")
	require.Equal(t, []int{8000, 6000}, []int{large.Width, large.Height})
}
