package content

import "time"

// bytesPerMinute is 16 kbit/s, the lowest rate at which phones record speech.
const bytesPerMinute = 120_000

const maxAudioLength = 24 * time.Hour

// AudioLength returns the length of a recording, and never less than the true one for speech, so
// that a limit on its cost holds. It measures Ogg Opus, which phones send, and estimates other
// formats from their size.
func AudioLength(data []byte) time.Duration {
	d, all := opusLength(data)
	if !all {
		d = max(d, time.Duration(float64(len(data))/bytesPerMinute*float64(time.Minute)))
	}
	return min(d, maxAudioLength)
}
