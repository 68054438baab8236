package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// The protocol's library accepts 10 MB.
const maxACPLine = 10<<20 - 1<<10

// A lineWriter writes whole lines from any goroutine.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

// screen passes on messages, one per line. The library closes the connection at a line that is too
// long, and does not answer invalid messages. So screen answers both. A read cannot be cancelled;
// its goroutine ends with the process.
func screen(in io.Reader, pass *io.PipeWriter, out io.Writer) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines, maxACPLine)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if bad := fault(line); bad != nil {
				answer(out, bad)
			} else if _, err := pass.Write(append(line, '\n')); err != nil {
				return
			}
		}
		if err != nil {
			pass.CloseWithError(err)
			return
		}
	}
}

// readLine reads a line. If the line is longer than limit, it returns the first limit+1 bytes.
func readLine(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), limit+1-len(line))]...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func fault(line []byte) *acp.RequestError {
	if len(line) > maxACPLine {
		return &acp.RequestError{Code: acp.NewParseError(nil).Code, Message: fmt.Sprintf("the message is longer than %d MB", maxACPLine>>20+1)}
	}
	if !json.Valid(line) {
		return &acp.RequestError{Code: acp.NewParseError(nil).Code, Message: "this is not JSON"}
	}
	var m struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(line, &m); err != nil || m.Method == "" && len(m.ID) == 0 {
		return &acp.RequestError{Code: acp.NewInvalidRequest(nil).Code, Message: "this is not a JSON-RPC message: one object with a method, or with the id that it answers"}
	}
	return nil
}

func answer(out io.Writer, fault *acp.RequestError) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": fault})
	if err == nil {
		_, _ = out.Write(append(line, '\n')) // if the client is gone, the input ends too
	}
}
