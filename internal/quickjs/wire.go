package quickjs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"errand/internal/ownprocess"
)

// Argument calls a program to run JavaScript with [Main].
const Argument = "run-javascript"

// A Program is one to run.
type Program struct {
	Name   string `json:"name"` // in messages
	Source string `json:"source"`
	Memory int64  `json:"memory"` // that it may have, in bytes
	Files  int64  `json:"files"`  // bytes of one text that it may read or write
	CPU    uint64 `json:"cpu"`    // seconds
	Cache  string `json:"cache"`  // a folder that keeps QuickJS compiled; empty: it is compiled each time
}

// Overhead is the memory of a process besides its program's, in bytes: of QuickJS, of its
// compiler or interpreter, and of texts on their way.
const Overhead = 256<<20 + ownprocess.RaceDetector

// Files are what a program reads and writes. It chooses the paths.
type Files interface {
	Read(path string) ([]byte, error)
	Write(path string, text []byte) error
	List() ([]string, error)
}

// TooLarge is the error of a text with too many bytes.
func TooLarge(size, most int64) error {
	return fmt.Errorf("a file of %d bytes is more than the %d that there may be", size, most)
}

// A call is a request of the process that runs a program. In JSON a text is a third longer,
// whatever is in it.
type call struct {
	Ready       bool   `json:"ready,omitempty"` // the program begins now
	Interpreted bool   `json:"interpreted,omitempty"`
	Read        bool   `json:"read,omitempty"`
	Write       bool   `json:"write,omitempty"`
	List        bool   `json:"list,omitempty"`
	Path        string `json:"path,omitempty"`
	Text        []byte `json:"text,omitempty"`
}

type answer struct {
	Text  []byte   `json:"text,omitempty"`
	Paths []string `json:"paths,omitempty"`
	Error string   `json:"error,omitempty"`
}

// Serve hands p to the process that runs it, and answers its calls until it has ended. It calls
// ready when the program begins. An interpreted program is about 20 times slower.
func Serve(calls io.Reader, answers io.Writer, p Program, files Files, ready func(interpreted bool)) error {
	to := json.NewEncoder(answers)
	if err := to.Encode(p); err != nil {
		return err
	}
	in := &boundedBody{r: calls, most: p.Files/3*4 + 1<<20}
	for from := json.NewDecoder(in); ; {
		in.left = in.most
		var c call
		if err := from.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var a answer
		var err error
		switch {
		case c.Ready:
			ready(c.Interpreted)
			continue
		case c.Read:
			if a.Text, err = files.Read(c.Path); int64(len(a.Text)) > p.Files {
				err = TooLarge(int64(len(a.Text)), p.Files)
			}
		case c.Write && int64(len(c.Text)) > p.Files:
			err = TooLarge(int64(len(c.Text)), p.Files)
		case c.Write:
			err = files.Write(c.Path, c.Text)
		case c.List:
			a.Paths, err = files.List()
		}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := to.Encode(a); err != nil {
			return err
		}
	}
}

type boundedBody struct {
	r          io.Reader
	most, left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the process of a program says more than it may")
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
