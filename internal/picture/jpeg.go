package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
)

// maxPasses is how many scans a JPEG may have. Cameras write one, and a progressive one
// has about ten. Each goes over the whole picture, and can be a few bytes: a small file
// could keep a decoder busy for as long as it likes.
const maxPasses = 100

var errHead = errors.New("the header is longer")

// errOtherFrame says that image/jpeg reads the markers otherwise than we do.
var errOtherFrame = errors.New("the frame is another one")

// Markers (ITU T.81, table B.1).
const (
	markerSOF0 = 0xc0 // the frame
	markerSOF1 = 0xc1
	markerSOF2 = 0xc2 // a progressive one
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerEOI  = 0xd9 // the end
	markerSOS  = 0xda // a scan: the picture begins
	markerAPP1 = 0xe1 // Exif
)

// jpegFrame reads the markers of a JPEG in front of its picture: how it is turned, and
// what a pixel needs. image/jpeg does not tell whether the frame is progressive: then it
// holds all coefficients at once. A frame that is not the one that image/jpeg has found
// is refused: the file was made to be read in two ways.
func jpegFrame(data []byte, cfg image.Config) (turned orientation, bytesOf float64, err error) {
	var frame []byte
	var progressive bool
	segments(data, func(marker byte, body []byte) {
		switch marker {
		case markerAPP1:
			if turned == 0 {
				turned = exifOrientation(body)
			}
		case markerSOF0, markerSOF1, markerSOF2:
			if frame == nil {
				frame, progressive = body, marker == markerSOF2
			}
		}
	})
	if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
		return 0, 0, errHead
	}
	height, width := int(frame[1])<<8|int(frame[2]), int(frame[3])<<8|int(frame[4])
	if width != cfg.Width || height != cfg.Height {
		return 0, 0, errOtherFrame
	}
	samples, widest := 0, 1
	for c := frame[6:][:3*int(frame[5])]; len(c) > 0; c = c[3:] { // ITU T.81, B.2.2
		factors := int(c[1]>>4) * int(c[1]&15)
		samples, widest = samples+factors, max(widest, factors)
	}
	bytesOf = max(float64(samples)/float64(widest), 1)
	if progressive {
		bytesOf *= 5 // a coefficient of 4 bytes for each
	}
	if cfg.ColorModel == color.RGBAModel || cfg.ColorModel == color.CMYKModel {
		bytesOf += 4 // another picture is made of it
	}
	return turned, bytesOf, nil
}

// segments calls do with each segment of a JPEG in front of its picture. It finds them as
// image/jpeg does, in (*decoder).decode: both must see the same frame.
func segments(data []byte, do func(marker byte, body []byte)) {
	at := 2
	for at+2 <= len(data) {
		first, marker := data[at], data[at+1]
		at += 2
		for first != 0xff && at < len(data) { // something that does not belong there
			first, marker = marker, data[at]
			at++
		}
		if marker == 0 { // likewise
			continue
		}
		for marker == 0xff && at < len(data) { // filling
			marker = data[at]
			at++
		}
		switch {
		case marker == markerEOI, marker == markerSOS:
			return
		case marker >= markerRST0 && marker <= markerRST7: // without a body
			continue
		}
		if at+2 > len(data) {
			return
		}
		end := at + int(data[at])<<8 + int(data[at+1])
		if end < at+2 || end > len(data) {
			return
		}
		do(marker, data[at+2:end])
		at = end
	}
}

// passes counts the scans of a JPEG. As decoders do, it skips what is no marker.
func passes(data []byte) int {
	n, at := 0, 2
	for {
		skip := bytes.IndexByte(data[min(at, len(data)):], 0xff)
		if skip < 0 || at+skip+4 > len(data) {
			return n
		}
		at += skip
		marker := data[at+1]
		switch {
		case marker == 0xff: // filling
			at++
			continue
		case marker == 0xd9: // its end
			return n
		case marker == 0x00, marker == 0x01, marker >= 0xd0 && marker <= 0xd8: // within a scan, or without a body
			at += 2
			continue
		case marker == 0xda:
			n++
		}
		at += 2 + max(2, int(data[at+2])<<8+int(data[at+3]))
	}
}
