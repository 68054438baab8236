package content

import (
	"bytes"
	"encoding/binary"
	"time"
)

// opusLength returns the length of the Opus streams in an Ogg file (RFC 3533, RFC 7845). all is
// false if the file contains anything else. The sender sets the granule positions, so opusLength
// also adds up the packets and uses the longer result.
func opusLength(data []byte) (d time.Duration, all bool) {
	streams, known := map[uint32]*opusStream{}, 0
	for p, rest, more := nextPage(data); more; p, rest, more = nextPage(rest) {
		s := streams[p.serial]
		if s == nil && bytes.HasPrefix(p.body, opusHead) {
			s = &opusStream{}
			streams[p.serial] = s
		}
		if s != nil {
			s.add(p)
			known += oggHeader + len(p.lacing) + len(p.body)
		}
	}
	for _, s := range streams {
		d = min(d+s.length(), maxAudioLength)
	}
	return d, len(streams) > 0 && known == len(data)
}

var oggMark, opusHead, opusTags = []byte("OggS"), []byte("OpusHead"), []byte("OpusTags")

// An oggPage may be truncated.
type oggPage struct {
	goesOn  bool // its first packet began on the previous page
	granule int64
	serial  uint32
	lacing  []byte // packet sizes: 255 for each 255 bytes, then the remainder
	body    []byte
}

const oggHeader = 27 // bytes, without the lacing

func nextPage(data []byte) (p oggPage, rest []byte, ok bool) {
	for {
		i := bytes.Index(data, oggMark)
		if i < 0 || len(data)-i < oggHeader {
			return oggPage{}, nil, false
		}
		if data = data[i:]; data[4] == 0 { // the only version is 0
			break
		}
		data = data[len(oggMark):]
	}
	p = oggPage{goesOn: data[5]&1 != 0, granule: int64(binary.LittleEndian.Uint64(data[6:])), serial: binary.LittleEndian.Uint32(data[14:])}
	end := min(oggHeader+int(data[26]), len(data))
	p.lacing = data[oggHeader:end]
	size := 0
	for _, l := range p.lacing {
		size += int(l)
	}
	rest = data[end:]
	size = min(size, len(rest))
	p.body, rest = rest[:size], rest[size:]
	return p, rest, true
}

type opusStream struct {
	granule int64         // the last one, in samples at 48 kHz
	packets time.Duration // total length
}

func (s *opusStream) add(p oggPage) {
	s.granule = max(s.granule, p.granule) // -1: no packet ends on the page
	begins, body := !p.goesOn, p.body
	for _, l := range p.lacing {
		part := body[:min(int(l), len(body))]
		if body = body[len(part):]; begins {
			s.packets += packetLength(part)
		}
		begins = l < 255
	}
}

func (s *opusStream) length() time.Duration {
	const rate = 48_000
	declared := min(s.granule, int64(maxAudioLength/time.Second)*rate)
	return max(time.Duration(declared)*time.Second/rate, s.packets)
}

const longestPacket = 120 * time.Millisecond

// packetLength follows RFC 6716, section 3.1.
func packetLength(head []byte) time.Duration {
	if len(head) == 0 || bytes.HasPrefix(head, opusHead) || bytes.HasPrefix(head, opusTags) {
		return 0
	}
	frames := 1
	switch head[0] & 3 {
	case 1, 2:
		frames = 2
	case 3:
		if len(head) < 2 {
			return 0
		}
		frames = int(head[1] & 0x3f)
	}
	return min(time.Duration(frames)*frameLength(head[0]>>3), longestPacket)
}

func frameLength(config byte) time.Duration {
	switch {
	case config < 12 && config&3 == 3: // speech
		return 60 * time.Millisecond
	case config < 12:
		return 10 * time.Millisecond << (config & 3)
	case config < 16: // speech and music
		return 10 * time.Millisecond << (config & 1)
	}
	return 2500 * time.Microsecond << (config & 3)
}
