package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/sim/models"
)

func photo() core.Message {
	return core.Message{Speaker: core.FromPerson, Text: "what is it?", Pictures: []core.Picture{
		{ID: "a-22222222", Type: "image/jpeg", Width: 1024, Height: 768, Data: []byte("\xff\xd8 the bytes"), Label: "[x picture a-22222222:]",
			Instead: "[x picture, 1024×768, artifact a-22222222: this model cannot see pictures]"},
		{ID: "a-33333333", Instead: "[x picture, artifact a-33333333: it cannot be shown: the file is broken]"},
	}}
}

func ask(t *testing.T, c *llm.Client, messages ...core.Message) (llm.Response, error) {
	t.Helper()
	return c.Complete(t.Context(), llm.Request{Model: "default", System: "You are Nikki.", Messages: messages, Note: "[x note it is noon]", Tools: lookUp}, nil)
}

// TestPictures proves that every provider, on its wire, is sent the bytes of a picture
// where its model sees, behind the words of the message; and that a model which does not
// is told in words.
func TestPictures(t *testing.T) {
	for _, kind := range models.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			s := models.New(kind)
			p := simulated(s)
			p.Vision = new(true)
			c := client(t, p)
			require.True(t, c.Sees("default"))
			for range 2 { // also as part of a longer conversation
				_, err := ask(t, c, core.Message{Speaker: core.FromPerson, Text: "hello"}, core.Message{Speaker: core.FromAgent, Text: "hi"}, photo())
				require.NoError(t, err)
				require.Equal(t, []models.Picture{{Type: "image/jpeg", Data: []byte("\xff\xd8 the bytes")}}, s.Pictures())
				require.Contains(t, strings.Join(s.Texts(), "\n"), "what is it?\n[x picture, artifact a-33333333: it cannot be shown: the file is broken]\n[x picture a-22222222:]")
			}
			p.Vision = new(false)
			c = client(t, p)
			require.False(t, c.Sees("default"))
			_, err := ask(t, c, photo())
			require.NoError(t, err)
			require.Empty(t, s.Pictures())
			require.Contains(t, strings.Join(s.Texts(), "\n"), "what is it?\n[x picture, 1024×768, artifact a-22222222: this model cannot see pictures]\n[x picture, artifact a-33333333:")
		})
	}
}

// TestOnlyAPicture proves that a message without words is one.
func TestOnlyAPicture(t *testing.T) {
	s := models.New(models.Ollama)
	p := simulated(s)
	p.Vision = new(true)
	m := photo()
	m.Text, m.Pictures = "", m.Pictures[:1]
	_, err := ask(t, client(t, p), m)
	require.NoError(t, err)
	require.Len(t, s.Pictures(), 1)
	p.Vision = new(false)
	_, err = ask(t, client(t, p), m)
	require.NoError(t, err)
	require.Contains(t, s.Texts(), m.Pictures[0].Instead)
}

// TestRefusedPictures proves that a provider that takes no pictures, whatever errand.yaml
// says, is asked again in words, and from then on in words at once.
func TestRefusedPictures(t *testing.T) {
	for _, kind := range []models.Kind{models.OpenAI, models.DeepSeek, models.LlamaCpp, models.OpenRouter, models.VLLM} {
		t.Run(string(kind), func(t *testing.T) {
			s := models.New(kind)
			s.Sightless = true
			p := simulated(s)
			p.Vision = new(true)
			c := client(t, p)
			for range 2 {
				_, err := ask(t, c, photo())
				require.NoError(t, err)
				require.Empty(t, s.Pictures())
				require.Contains(t, strings.Join(s.Texts(), "\n"), "this model cannot see pictures")
			}
			refused := 0
			for _, why := range s.Refusals() {
				if !strings.Contains(why, "alternate") {
					refused++
				}
			}
			require.Equal(t, 1, refused, s.Refusals())
		})
	}
}

// TestPicturesAtAnother proves that a provider that is tried after another is shown
// pictures or told of them as its own model sees.
func TestPicturesAtAnother(t *testing.T) {
	down, s := models.New(models.VLLM), models.New(models.Ollama)
	first, second := simulated(down), simulated(s)
	first.Vision, first.HTTPClient, first.BaseURL = new(true), nil, "http://127.0.0.1:1/v1"
	c := client(t, first, second)
	require.True(t, c.Sees("default"))
	_, err := ask(t, c, photo())
	require.NoError(t, err)
	require.Empty(t, s.Pictures())
	require.Contains(t, strings.Join(s.Texts(), "\n"), "this model cannot see pictures")
}

// TestPicturesAreEstimated proves that a picture counts by its size.
func TestPicturesAreEstimated(t *testing.T) {
	r := llm.Request{Messages: []core.Message{photo()}}
	bare := llm.Request{Messages: []core.Message{{Speaker: core.FromPerson, Text: "what is it?"}}}
	require.InDelta(t, 1024*768/750, llm.Estimate(r)-llm.Estimate(bare), 100)
	require.Equal(t, core.MaxPictureTokens, core.Picture{Width: 1536, Height: 1536, Data: []byte("x")}.Tokens())
}
