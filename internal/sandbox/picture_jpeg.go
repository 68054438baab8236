package sandbox

import (
	"bytes"
	"errors"
	"image"
	"image/color"
)

// maxJPEGPasses limits the scans. A progressive JPEG has about ten. A scan can be a few
// bytes, and processes the whole picture.
const maxJPEGPasses = 100

var errHead = errors.New("the header is longer")

// errOtherFrame means that image/jpeg and [jpegSegments] parse the markers differently.
var errOtherFrame = errors.New("the frame is another one")

// Markers (ITU T.81, table B.1).
const (
	markerSOF0 = 0xc0 // a frame
	markerSOF1 = 0xc1
	markerSOF2 = 0xc2 // a progressive frame
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerEOI  = 0xd9 // the end
	markerSOS  = 0xda // a scan, which starts the picture
	markerAPP1 = 0xe1 // Exif
)

// jpegFrame returns the orientation and the bytes per pixel for decoding. A progressive
// frame needs all coefficients at once, which image/jpeg does not report. jpegFrame refuses
// a file if image/jpeg sees another frame, because the file was made to be read in two ways.
func jpegFrame(data []byte, cfg image.Config) (turned orientation, bytesOf float64, err error) {
	var frame []byte
	var progressive bool
	jpegSegments(data, func(marker byte, body []byte) {
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
		bytesOf *= 5 // each sample has a coefficient of 4 bytes
	}
	if cfg.ColorModel == color.RGBAModel || cfg.ColorModel == color.CMYKModel {
		bytesOf += 4 // the decoder converts the picture into a second one
	}
	return turned, bytesOf, nil
}

// jpegSegments finds the same segments as image/jpeg in (*decoder).decode.
func jpegSegments(data []byte, do func(marker byte, body []byte)) {
	at := 2
	for at+2 <= len(data) {
		first, marker := data[at], data[at+1]
		at += 2
		for first != 0xff && at < len(data) { // stray bytes
			first, marker = marker, data[at]
			at++
		}
		if marker == 0 { // a stray zero
			continue
		}
		for marker == 0xff && at < len(data) { // fill bytes
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

// jpegPasses counts scans. It skips bytes that are not markers, as decoders do.
func jpegPasses(data []byte) int {
	n, at := 0, 2
	for {
		skip := bytes.IndexByte(data[min(at, len(data)):], 0xff)
		if skip < 0 || at+skip+4 > len(data) {
			return n
		}
		at += skip
		marker := data[at+1]
		switch {
		case marker == 0xff: // a fill byte
			at++
			continue
		case marker == 0xd9: // the end
			return n
		// Inside a scan, or without a body.
		case marker == 0x00, marker == 0x01, marker >= 0xd0 && marker <= 0xd8:
			at += 2
			continue
		case marker == 0xda:
			n++
		}
		at += 2 + max(2, int(data[at+2])<<8+int(data[at+3]))
	}
}
