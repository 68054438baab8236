// Package ownerkey is the storage of the key that identifies the owner of an installation. There is
// one key per data folder, in a file that only the user who runs errand can read. A client with the
// key is the owner; its network address does not matter.
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

// Env is the variable with the key for programs that cannot read the file, such as the starter on
// another machine.
const Env = "ERRAND_KEY"

// LeastToken is the minimum length of ERRAND_TOKEN in characters. A person chooses the token, and
// other machines may try to guess it.
const LeastToken = 16

// prefix lets people and secret scanners recognise a leaked key.
const prefix = "errand_owner_"

// keyBytes is the size of a key: 256 bits.
const keyBytes = 32

// Ensure returns the key of a data folder, and creates it with mode 0600 if it is missing.
// Processes that create it at the same time get the same key.
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

// write creates path with its complete content, or not at all.
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
	// Unlike a rename, a link never replaces a file. Not every file system supports links.
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

// Read returns the key of a data folder. If there is no key, the error is fs.ErrNotExist. If other
// users can read the file or it contains no key, the error says how to fix that.
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

// Check returns an error if a text cannot be a key. The error does not contain the text.
func Check(key string) error {
	if !strings.HasPrefix(key, prefix) || len(key) < len(prefix)+base64.RawURLEncoding.EncodedLen(keyBytes) {
		return fmt.Errorf("this is no key of errand's: want what a file %s holds, %s and %d characters", File, prefix, base64.RawURLEncoding.EncodedLen(keyBytes))
	}
	return nil
}
