package acpagent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// mostLine is how many bytes a message may have; the protocol's library takes 10 MB.
const mostLine = 10<<20 - 1<<10

// A lineWriter writes lines, each as a whole, whoever writes them.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

// screen passes the messages of in on, one a line, until in ends or nobody takes them. The
// protocol's library ends the connection at a line that is too long, and says nothing to one
// that is no message: those are answered here, and go no further. A read cannot be ended: what
// is left of it then ends with the process.
func screen(in io.Reader, pass *io.PipeWriter, out io.Writer) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines)
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

// readLine reads a line. Of one that is too long it keeps so much that this shows.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), mostLine+1-len(line))]...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func fault(line []byte) *acp.RequestError {
	if len(line) > mostLine {
		return &acp.RequestError{Code: acp.NewParseError(nil).Code, Message: fmt.Sprintf("the message is longer than %d MB", mostLine>>20+1)}
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

// answer answers what has no id that could be read.
func answer(out io.Writer, fault *acp.RequestError) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": fault})
	if err == nil {
		_, _ = out.Write(append(line, '\n')) // a client that is gone ends the input too
	}
}
