// Package ownerkey keeps the key that makes somebody the owner of an
// installation. There is one key per data folder, in a file that only the user
// who runs errand can read. Whoever shows it is the owner; an address never is.
package ownerkey

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// File is the name of the key's file in the data folder.
const File = "owner.key"

// Env is the variable that a program finds the key in when it cannot read the
// file, such as the starter on another machine.
const Env = "ERRAND_KEY"

// LeastToken is how many characters an ERRAND_TOKEN has that cannot be guessed:
// somebody has thought of it, and other machines may try.
const LeastToken = 16

// prefix lets people and secret scanners recognise a key that was leaked.
const prefix = "errand_owner_"

// keyBytes is how much of a key is drawn: 256 bit.
const keyBytes = 32

// Ensure returns the key of a data folder and makes it, with mode 0600, where
// there is none. Two processes that make it at the same moment get the same key.
func Ensure(dir string) (string, error) {
	key, err := Read(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	drawn := make([]byte, keyBytes)
	rand.Read(drawn) // never fails, see crypto/rand
	key = prefix + base64.RawURLEncoding.EncodeToString(drawn)
	if err := write(filepath.Join(dir, File), key); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the owner's key: %w", err)
	}
	return Read(dir)
}

// write makes path with its whole content or not at all.
func write(path, key string) error {
	f, err := os.CreateTemp(filepath.Dir(path), File+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(key + "\n")
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	// Unlike a rename a link replaces nothing. Not every file system has links.
	if err = os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(key + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// Read returns the key of a data folder. Where there is none the error is
// fs.ErrNotExist. A file that others can read, or that holds no key, is refused
// with words that say how to mend it.
func Read(dir string) (string, error) {
	path := filepath.Join(dir, File)
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the owner's key: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("read the owner's key: others can read %s (mode %04o): run chmod 600 %s, or remove it and restart for a new key; "+
			"where the file system keeps no modes, use another data folder or set %s", path, mode, path, Env)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the owner's key: %w", err)
	}
	key := strings.TrimSpace(string(content))
	if Check(key) != nil {
		return "", fmt.Errorf("read the owner's key: %s holds no key: remove it and restart for a new one", path)
	}
	return key, nil
}

// Check reports whether a text can be a key. The error does not repeat it.
func Check(key string) error {
	if !strings.HasPrefix(key, prefix) || len(key) < len(prefix)+base64.RawURLEncoding.EncodedLen(keyBytes) {
		return fmt.Errorf("this is no key of errand's: want what a file %s holds, %s and %d characters", File, prefix, base64.RawURLEncoding.EncodedLen(keyBytes))
	}
	return nil
}
