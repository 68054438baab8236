package accounts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const mostSecret = 16 << 10

var errTooLong = errors.New("this is too long for a token")

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
		err = errTooLong
	}
	return string(raw), err
}

func (a *addition) steps(list ...string) {
	for i, s := range list {
		if !a.JSON {
			fmt.Fprintf(a.Out, "  %d. %s\n", i+1, strings.ReplaceAll(s, "\n", "\n     "))
		}
	}
	a.printf("")
}
