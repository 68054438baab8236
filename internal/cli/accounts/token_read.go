package accounts

import (
	"errors"
	"io"
	"os"
	"strings"
)

// mostSecret is far more than any token is long.
const mostSecret = 16 << 10

// readShort reads a small file.
func readShort(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readAllShort(f)
}

func readAllShort(r io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, mostSecret+1))
	if len(raw) > mostSecret {
		err = errors.New("this is far too long for a token")
	}
	return string(raw), err
}

// steps prints numbered lines.
func (a *addition) steps(list ...string) {
	for i, s := range list {
		a.print("  %d. %s", i+1, strings.ReplaceAll(s, "\n", "\n     "))
	}
	a.print("")
}
