package content

import "time"

// bytesPerMinute is what a minute is taken for where a recording cannot be
// measured: 16 kbit/s, the least at which phones record speech.
const bytesPerMinute = 120_000

const maxAudioLength = 24 * time.Hour

// AudioLength is how long a recording lasts, in favour of whoever pays by the minute.
// Ogg Opus, which phones send, is measured; anything else goes by its size.
func AudioLength(data []byte) time.Duration {
	d, all := opusLength(data)
	if !all {
		d = max(d, time.Duration(float64(len(data))/bytesPerMinute*float64(time.Minute)))
	}
	return min(d, maxAudioLength)
}
