package content_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/content"
)

// page is a page of Ogg in which all packets end, none longer than 254 bytes; one
// of 255 goes on in the next.
func page(serial uint32, granule int64, packets ...string) string {
	head := make([]byte, 27, 27+len(packets))
	copy(head, "OggS")
	binary.LittleEndian.PutUint64(head[6:], uint64(granule))
	binary.LittleEndian.PutUint32(head[14:], serial)
	head[26] = byte(len(packets))
	for _, p := range packets {
		head = append(head, byte(len(p)))
	}
	return string(head) + strings.Join(packets, "")
}

const (
	speech20 = "\x08..." // one frame of 20 ms, of speech
	speech60 = "\x18..." // one of 60 ms
	music    = "\xf9..." // two of 20 ms, of music
	many     = "\x0b\x06..."
	hybrid   = "\x68..." // one of 20 ms
)

func opus(serial uint32) string {
	return page(serial, 0, "OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00") + page(serial, 0, "OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")
}

func bySize(data string) time.Duration { return time.Duration(len(data)) * time.Minute / 120_000 }

// TestSpoken proves that a recording is taken to be as long as its packets are and
// as it says itself, whichever is more, and what cannot be measured as its size.
func TestSpoken(t *testing.T) {
	const second = 48_000
	minute := strings.Repeat("x", 120_000)
	long := page(1, 2*second, strings.Repeat("\x08", 50))
	split := page(1, -1, speech20) // a packet of 20 ms that goes on on the next page
	split = strings.Replace(split, "\x01\x04"+speech20, "\x01\xff"+speech20+strings.Repeat(".", 251), 1)
	rest := []byte(page(1, second/50, speech60))
	rest[5] = 1 // its packet began on the page before
	more := opus(1) + page(1, second, speech20) + minute
	tests := []struct {
		name, data string
		want       time.Duration
	}{
		{"as it says", opus(1) + page(1, 90*second, speech20), 90 * time.Second},
		{"longer than it says", opus(1) + page(1, 1, speech20, speech60, music, many, hybrid), (20 + 60 + 40 + 120 + 20) * time.Millisecond},
		{"no packet is longer than 120 ms", opus(1) + page(1, 1, "\x1b\x3f", "\xe3\x02", "\x03"), 125 * time.Millisecond},
		{"a packet of 300 bytes", opus(1) + page(1, 1, speech20+strings.Repeat(".", 251), speech60), 20 * time.Millisecond},
		{"a packet on two pages", opus(1) + split + string(rest), 20 * time.Millisecond},
		{"two streams", opus(1) + page(1, second, speech20) + opus(2) + page(2, second, speech20), 2 * time.Second},
		{"it says that it is endless", opus(1) + page(1, 1<<62, speech20), 24 * time.Hour},
		{"no packet ends", opus(1) + page(1, -1, ""), 0},
		{"cut off", (opus(1) + long)[:len(opus(1)+long)-20], 2 * time.Second},
		{"something else in it", more, bySize(more)},
		{"something else in front of it", minute + opus(1) + page(1, 90*second, speech20), 90 * time.Second},
		{"of another kind", page(1, second, "\x01vorbis"), bySize(page(1, second, "\x01vorbis"))},
		{"no Ogg", minute + minute, 2 * time.Minute},
		{"nothing", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.InDelta(t, tt.want.Seconds(), content.AudioLength([]byte(tt.data)).Seconds(), 1e-6)
		})
	}
}

// FuzzSpoken proves that no recording has a length that nobody can pay.
func FuzzSpoken(f *testing.F) {
	f.Add([]byte(opus(1) + page(1, 48_000, speech20, music)))
	f.Add([]byte("OggS\x00\x01" + strings.Repeat("\xff", 300)))
	f.Add([]byte(strings.Repeat("OggS", 10)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d := content.AudioLength(data); d < 0 || d > 24*time.Hour {
			t.Errorf("it is taken for %v", d)
		}
	})
}
