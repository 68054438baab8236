package intake_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/test/intaketest"
)

// TestLongVoice proves that what is spoken for longer than is written down is
// refused with the limit, in the sender's language, and that their words are
// taken; a file that is just sent may be as long as it likes.
func TestLongVoice(t *testing.T) {
	tests := []struct {
		name, language string
		longest        time.Duration
		bytes          int // 2000 are a second
		file           bool
		told, agent    string
	}{
		{"long", "en", time.Minute, 121_000, false, "too long: I can listen to at most 1 min", "[attached and not taken, for it is spoken for too long: at most 1 min: v.ogg]"},
		{"long, in Spanish", "es", 90 * time.Second, 181_000, false, "puedo escuchar 90 s como máximo", "at most 90 s: v.ogg]"},
		{"short", "en", time.Minute, 120_000, false, "", "[attached: v.ogg"},
		{"however long", "en", 0, 900_000, false, "", "[attached: v.ogg"},
		{"a file", "en", time.Minute, 900_000, true, "", "[attached: v.ogg"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, func(deps *intaketest.Deps) {
				deps.AttachmentBytes, deps.Transcribes, deps.VoiceLength = 1_000_000, true, tt.longest
			})
			note := text("v.ogg", strings.Repeat("\x00", tt.bytes))
			note.voice = !tt.file
			in := d.with("listen", note)
			in.Sender.Language = tt.language
			for range 2 {
				if out, err := d.Receive(t.Context(), in); err != nil || out.Refused != "" {
					t.Fatalf("Receive: %+v, %v", out, err)
				}
			}
			if notices := d.notices(); tt.told == "" && len(notices) > 0 || tt.told != "" && (len(notices) != 1 || !strings.Contains(notices[0], tt.told)) {
				t.Errorf("they are told %q", notices)
			}
			if note.voice && tt.told == "" {
				return // it is to be written down before an agent reads of it
			}
			if read := d.reads(); len(read) != 1 || !strings.Contains(read[0], tt.agent) {
				t.Errorf("the agent reads %q", read)
			}
		})
	}
}
