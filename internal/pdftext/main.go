package pdftext

import (
	"encoding/json"
	"io"
	"runtime/debug"

	"errand/internal/ownprocess"
)

// Main reads one PDF from in, writes what it says to out, and returns the exit code.
// It takes from the process what a file could use up.
func Main(in io.Reader, out io.Writer) int {
	ownprocess.IgnoreInterrupts()
	debug.SetMaxStack(64 << 20)
	if err := ownprocess.Confine(ownprocess.Limits{Memory: maxMemory, CPU: longest}); err != nil {
		return 1
	}
	body, err := io.ReadAll(in)
	if err != nil {
		return 1
	}
	if err := json.NewEncoder(out).Encode(extract(body)); err != nil {
		return 1
	}
	return 0
}
