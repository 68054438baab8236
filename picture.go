package errand

// A Picture is one of a message, as a model is given it.
type Picture struct {
	ID            ArtifactID
	Type          string // of Data, MIME
	Width, Height int    // of Data
	Data          []byte // empty: it is not shown, whatever the model can
	Label         string // stands in front of it
	Instead       string // stands there for a model that cannot see, and where it is not shown
}

const maxPicture = 1536 * 1536

// MaxPictureTokens bounds [Picture.Tokens].
const MaxPictureTokens = (maxPicture + perToken - 1) / perToken

// perToken is how many pixels a token has. Each provider reckons otherwise; this is what
// Anthropic says (https://docs.claude.com/en/docs/build-with-claude/vision#calculate-image-costs),
// which for most sizes is more than OpenAI's tiles and Gemini's have.
const perToken = 750

// Tokens guesses what a picture is in a prompt.
func (p Picture) Tokens() int {
	if len(p.Data) == 0 {
		return 0
	}
	return PictureTokens(p.Width * p.Height)
}

// PictureTokens guesses what a picture of so many pixels is in a prompt.
func PictureTokens(pixels int) int { return (pixels + perToken - 1) / perToken }
