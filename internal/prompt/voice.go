package prompt

// These replace a voice message in the transcript.
const (
	Untranscribed        = "[a voice message that could not be transcribed]"
	TranscriptionNotPaid = "[a voice message that was not transcribed: the budget is used up]"
)
