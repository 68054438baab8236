package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
)

// Limits of one search. The next call continues after them.
const (
	maxPattern  = 1_000 // bytes
	findTime    = 5 * time.Second
	findBytes   = 50_000_000 // bytes read
	findMatches = 100
	findAnswer  = 15_000   // bytes
	findPiece   = 16 << 10 // bytes of a long line that are searched at once
	// maxInstructions limits the size of a compiled pattern, because the time for a piece
	// grows with it.
	maxInstructions = 2_000
)

func (w workspace) find(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	switch {
	case err != nil:
		return "error: " + err.Error(), nil
	case in.Pattern == "":
		return `error: "pattern" is missing`, nil
	case len(in.Pattern) > maxPattern:
		return fmt.Sprintf("error: the pattern has %d bytes; at most %d", len(in.Pattern), maxPattern), nil
	}
	pattern, err := compile(in.Pattern)
	switch {
	case errors.Is(err, errLargePattern):
		return "error: " + err.Error(), nil
	case err != nil:
		return "error: the pattern is no regular expression of RE2 (there are no look-arounds and no back references): " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), nil
	}
	s := &search{store: w.store, pattern: pattern, end: time.Now().Add(findTime), after: in.After, line: max(in.Line, 1)}
	if err := s.run(ctx, call.Place(), in.Folder); err != nil {
		return refused(err)
	}
	return s.answer(), nil
}

var errLargePattern = fmt.Errorf("the pattern is too large: it has more than %d steps. Use fewer or smaller repetitions", maxInstructions)

func compile(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxInstructions {
		return nil, errLargePattern
	}
	return regexp.Compile(pattern)
}

type search struct {
	store   Store
	pattern *regexp.Regexp
	end     time.Time

	after   string // the last file that was searched completely
	line    int    // the line of the next file to continue at
	full    bool   // it stopped at a limit
	files   int
	read    int64
	matches int
	out     strings.Builder
}

func (s *search) run(ctx context.Context, place, folder string) error {
	for {
		files, err := s.store.Files(ctx, place, store.FileFilter{Folder: folder, After: s.after, Limit: listPage})
		if err != nil || len(files) == 0 {
			return err
		}
		for _, f := range files {
			if err := s.file(ctx, f); err != nil || s.full {
				return err
			}
			s.after, s.line = f.Path, 1
		}
	}
}

func (s *search) file(ctx context.Context, f core.File) error {
	if s.spent() {
		s.full = true
		return nil
	}
	if !content.IsText(f.Type) {
		return nil
	}
	return s.lines(ctx, f.Path, bufio.NewReaderSize(s.store.OpenFile(ctx, f), findPiece))
}

func (s *search) lines(ctx context.Context, path string, in *bufio.Reader) error {
	s.files++
	begins := true // whether the piece starts a line
	for n := 1; ; {
		// A line longer than the buffer is searched in pieces. If time runs out within a line, the
		// search continues after it.
		piece, err := in.ReadSlice('\n')
		s.read += int64(len(piece))
		if n >= s.line && len(piece) > 0 {
			if s.spent() {
				s.full, s.line = true, n
				if !begins {
					s.line = n + 1
					fmt.Fprintf(&s.out, "(only the beginning of line %d of %s was searched: the line is too long)\n", n, path)
				}
				return nil
			}
			s.match(path, n, strings.TrimRight(string(piece), "\r\n"))
		}
		switch {
		case err == io.EOF, errors.Is(err, store.ErrNotFound): // it was removed meanwhile
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			begins = false
		case err != nil:
			return err
		default:
			n, begins = n+1, true
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (s *search) spent() bool {
	return s.matches >= findMatches || s.out.Len() >= findAnswer || s.read >= findBytes || !time.Now().Before(s.end)
}

func (s *search) match(path string, n int, line string) {
	at := s.pattern.FindStringIndex(line)
	if at == nil {
		return
	}
	s.matches++
	const around = 120
	from, to := max(at[0]-around, 0), min(max(at[1], at[0])+around, at[0]+3*around, len(line))
	shown := strings.ToValidUTF8(line[from:max(from, to)], "")
	if from > 0 {
		shown = "… " + shown
	}
	if to < len(line) {
		shown += " …"
	}
	fmt.Fprintf(&s.out, "%s:%d: %s\n", path, n, shown)
}

func (s *search) answer() string {
	switch {
	case s.full && s.matches == 0:
		fmt.Fprintf(&s.out, "Nothing yet, in %d files.\n", s.files)
	case s.matches == 0:
		return fmt.Sprintf("Nothing was found, in %d files.", s.files)
	}
	if s.full {
		fmt.Fprintf(&s.out, "(there is more to search; continue with after %q, line %d)\n", s.after, s.line)
	}
	return s.out.String()
}
