package sandbox

import (
	"bytes"
	"encoding/binary"
	"image"
)

// An orientation is a value from 1 to 8 (Exif 2.32, tag 0x0112); 0: unknown.
type orientation int

func (o orientation) sideways() bool { return o >= 5 }

func (o orientation) upright(m *image.RGBA) *image.RGBA {
	if o < 2 || o > 8 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if o.sideways() {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch o {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(out.Pix[out.PixOffset(tx, ty):][:4], m.Pix[m.PixOffset(x, y):][:4])
		}
	}
	return out
}

var exifHead = []byte("Exif\x00\x00")

// exifOrientation returns 0 for malformed data.
func exifOrientation(data []byte) orientation {
	tiff := bytes.TrimPrefix(data, exifHead)
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	entries := int64(order.Uint16(tiff[at:]))
	for i := range entries {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		const tag, short = 0x0112, 3
		if order.Uint16(tiff[entry:]) == tag && order.Uint16(tiff[entry+2:]) == short {
			if o := orientation(order.Uint16(tiff[entry+8:])); o <= 8 {
				return o
			}
			return 0
		}
	}
	return 0
}

func pngOrientation(data []byte) orientation {
	for at := 8; at+8 <= len(data); {
		size := int64(binary.BigEndian.Uint32(data[at:]))
		name, begin := string(data[at+4:at+8]), int64(at+8)
		switch {
		case name == "IDAT" || begin+size+4 > int64(len(data)):
			return 0
		case name == "eXIf":
			return exifOrientation(data[begin : begin+size])
		}
		at = int(begin + size + 4)
	}
	return 0
}

func webpOrientation(data []byte) orientation {
	for at := 12; at+8 <= len(data); {
		size := int64(binary.LittleEndian.Uint32(data[at+4:]))
		begin := int64(at + 8)
		switch {
		case begin+size > int64(len(data)):
			return 0
		case string(data[at:at+4]) == "EXIF":
			return exifOrientation(data[begin : begin+size])
		}
		at = int(begin + size + size%2)
	}
	return 0
}
