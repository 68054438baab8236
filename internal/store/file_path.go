package store

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of a file's path: bytes of the path, bytes of a name, and number of names.
const (
	maxPath    = 400
	maxSegment = 150
	maxDepth   = 16
)

// A FilePathError refuses the path of a file, and says what to do instead.
type FilePathError struct{ Problem string }

func (e *FilePathError) Error() string { return e.Problem }

func badPath(format string, args ...any) error {
	return &FilePathError{fmt.Sprintf(format, args...)}
}

// reservedNames are the names of devices on Windows. A workspace must be storable on every system.
var reservedNames = func() map[string]bool {
	names := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"} {
		names["com"+n], names["lpt"+n] = true, true
	}
	return names
}()

// CleanFilePath returns the path of a file as the store keeps it: relative, with slashes, in
// composed Unicode (NFC). The error is a [*FilePathError].
func CleanFilePath(path string) (string, error) {
	switch {
	case !utf8.ValidString(path):
		return "", badPath("the path is not valid UTF-8")
	case strings.TrimSpace(path) == "":
		return "", badPath("the path is missing: give one such as notes/plan.md")
	case strings.Contains(path, `\`):
		return "", badPath(`the path %q has a backslash: folders are separated by /`, path)
	case strings.HasPrefix(path, "/"):
		return "", badPath("the path %q is absolute: paths begin in the workspace, such as notes/plan.md", path)
	}
	for _, r := range path {
		switch {
		case unicode.IsControl(r):
			return "", badPath("the path has the control character %U", r)
		case r == unicode.ReplacementChar || r != ' ' && !unicode.IsPrint(r):
			return "", badPath("the path has the character %U, which cannot be seen: leave it out", r)
		case strings.ContainsRune(`<>:"|?*`, r):
			return "", badPath("the path %q has the character %c, which not every machine can save: leave it out", path, r)
		}
	}
	var kept []string
	for segment := range strings.SplitSeq(norm.NFC.String(path), "/") {
		switch {
		case segment == "" || segment == ".":
			continue
		case segment == "..":
			return "", badPath("the path %q leaves its folder with ..: write where the file is from the workspace on", path)
		case strings.TrimSpace(segment) != segment || strings.HasSuffix(segment, "."):
			return "", badPath("in the path %q the name %q begins or ends with a space, or ends with a dot: not every machine can save that", path, segment)
		case len(segment) > maxSegment:
			return "", badPath("a name in the path has %d bytes; at most %d", len(segment), maxSegment)
		}
		stem, _, _ := strings.Cut(strings.ToLower(segment), ".")
		if reservedNames[strings.TrimSpace(stem)] {
			return "", badPath("the name %q is reserved on some machines: choose another", segment)
		}
		kept = append(kept, segment)
	}
	clean := strings.Join(kept, "/")
	switch {
	case clean == "":
		return "", badPath("the path %q names no file", path)
	case len(kept) > maxDepth:
		return "", badPath("the path has %d folders; at most %d", len(kept)-1, maxDepth-1)
	case len(clean) > maxPath:
		return "", badPath("the path has %d bytes; at most %d", len(clean), maxPath)
	}
	return clean, nil
}

func foldPath(clean string) string {
	return norm.NFC.String(cases.Fold().String(clean))
}
