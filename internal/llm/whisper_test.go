package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
	"errand/internal/test/sim/whisper"
)

// TestServersAtHome proves that the servers that people have at home write down speech,
// and that what they refuse is told as such, in their words.
func TestServersAtHome(t *testing.T) {
	for _, kind := range []whisper.Kind{whisper.Cpp, whisper.Speaches, whisper.LocalAI} {
		t.Run(string(kind), func(t *testing.T) {
			s := &whisper.Server{Kind: kind, Says: "Night trains to Oslo.", Model: "Systran/faster-whisper-small"}
			ears := listener(t, llm.Provider{Name: "home", BaseURL: "http://127.0.0.1:8000/v1", Model: s.Model, HTTPClient: InProcess(s)})
			said, err := ears.Transcribe(t.Context(), recording)
			require.NoError(t, err)
			require.Equal(t, s.Says, said.Text)
			fields, file := s.Got()
			require.Equal(t, recording.Data, file)
			require.Equal(t, map[string]string{"model": s.Model, "language": "de", "filename": recording.Name}, fields)
		})
	}
	refused := func(s *whisper.Server, want string) {
		t.Helper()
		_, err := listener(t, llm.Provider{Name: "home", BaseURL: "http://127.0.0.1:8000/v1", Model: "m", HTTPClient: InProcess(s)}).Transcribe(t.Context(), recording)
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, llm.Refused, e.Kind)
		require.Contains(t, e.Message, want)
	}
	refused(&whisper.Server{Kind: whisper.Cpp, Unconverted: true}, "failed to read audio data")
	refused(&whisper.Server{Kind: whisper.Speaches, Model: "other"}, "is not installed locally")
}
