package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test binary is the process that is killed, too.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == victim {
		if err := runVictim(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestEveryProvider proves that the turn loop of a whole errand goes through with every
// provider, that what it hands out comes back, that /stop reaches it, and that an answer
// in the background is paid once although the whole process was killed in its middle.
func TestEveryProvider(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts errand twice")
	}
	rows, err := Table(t.Context(), t.Output())
	require.NoError(t, err)
	require.Equal(t, `| provider | wire | stream | tools | two steps | reasoning back | cached | /stop | killed in a call |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| openai | responses | yes | yes | yes | yes | yes | hung up | paid 2× |
| openai | responses, background | yes | yes | yes | yes | yes | cancelled | paid 1× |
| deepseek | chat | yes | yes | yes | yes | yes | hung up | paid 2× |
| gemini | chat | yes | yes | yes | yes | yes | hung up | paid 2× |
| anthropic | chat | yes | yes | yes | – | – | hung up | paid 2× |
| vllm | chat | yes | yes | yes | – | yes | hung up | paid 2× |
| llama.cpp | chat | yes | yes | yes | – | yes | hung up | paid 2× |
| ollama | chat | yes | yes | yes | – | – | hung up | paid 2× |
| openrouter | chat | yes | yes | yes | yes | yes | hung up | paid 2× |
`, Render(rows))
}
