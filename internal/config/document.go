package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile limits the size of errand.yaml and of each file it names, in bytes.
const maxFile = 1 << 20

var errTooLarge = errors.New("is larger than 1 MB")

// readFile limits what it reads, even from a pipe or device.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the caller's message names the path
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, errors.New("is a directory")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, errTooLarge
	}
	return b, nil
}

// parse returns nil if the document is empty or invalid.
func parse(name string, text []byte, fs *faults) *yaml.Node {
	doc, err := decode(text)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errSecondDocument):
		fs.add(name, doc.Line, "a second YAML document begins here: the file may have only one")
		return nil
	case err != nil:
		line, problem := locate(text, err)
		fs.add(name, line, "not YAML: %s", problem)
		return nil
	}
	root := doc.Content[0]
	if n := anchored(root); n != nil {
		fs.add(name, n.Line, "anchors and aliases (& and *) are not supported: write the value out")
		return nil
	}
	if isNull(root) {
		return nil
	}
	return root
}

var errSecondDocument = errors.New("second document")

// decode returns the document of text, or the second one with errSecondDocument.
func decode(text []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	doc := new(yaml.Node)
	if err := d.Decode(doc); err != nil {
		return nil, err
	}
	second := new(yaml.Node)
	switch err := d.Decode(second); {
	case errors.Is(err, io.EOF):
		return doc, nil
	case err != nil:
		return nil, err
	}
	return second, errSecondDocument
}

// anchored returns the first alias or anchor. They are refused because a few lines of them
// can expand to gigabytes, and because errors in expanded text have no useful line number.
func anchored(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return n
	}
	for _, c := range n.Content {
		if a := anchored(c); a != nil {
			return a
		}
	}
	return nil
}

var yamlPrefix = regexp.MustCompile(`^yaml: (line (\d+): )?`)

// locate finds the line of a syntax error by removing lines from the end while the error
// stays the same. The line number of the library is missing, one too low, or that of the
// enclosing block.
func locate(text []byte, err error) (line int, problem string) {
	if !utf8.Valid(text) {
		for l := range bytes.Lines(text) {
			line++
			if !utf8.Valid(l) {
				return line, "it is not UTF-8 text"
			}
		}
	}
	problem = yamlPrefix.ReplaceAllString(err.Error(), "")
	const mostLines, mostBytes = 500, 64 << 10 // hand-written files are shorter
	lines := bytes.SplitAfter(bytes.TrimRight(text, "\n"), []byte("\n"))
	if len(lines) > mostLines || len(text) > mostBytes {
		if m := yamlPrefix.FindStringSubmatch(err.Error()); m != nil && m[2] != "" {
			fmt.Sscan(m[2], &line)
		}
		return line, problem
	}
	for line = len(lines); line > 1; line-- {
		_, err := decode(bytes.Join(lines[:line-1], nil))
		if err == nil || !strings.HasSuffix(err.Error(), problem) {
			break
		}
	}
	if tab := bytes.HasPrefix(bytes.TrimLeft(lines[line-1], " "), []byte("\t")); tab && strings.Contains(problem, "cannot start any token") {
		return line, "the line begins with a tab: indent it with spaces"
	}
	return line, problem + advice(problem)
}

// advices explain syntax errors of the library that are hard to understand.
var advices = [][2]string{
	{"mapping values are not allowed", `: a value that contains ": " needs quotes, or the indentation is wrong`},
	{"did not find expected key", ": the indentation differs from the lines above, or a quote is missing"},
	{"could not find expected ':'", `: write "key: value"`},
	{"unexpected end of stream", ": a quote is not closed"},
	{"found a tab character", ": indent with spaces"},
	{"did not find expected ',' or", ": a bracket is not closed, or a comma is missing"},
	{"cannot start any token", ": a value that begins with @, % or ` needs quotes"},
}

// advice explains a syntax error; empty: it is clear. The first part that occurs decides.
func advice(problem string) string {
	for _, a := range advices {
		if strings.Contains(problem, a[0]) {
			return a[1]
		}
	}
	return ""
}
