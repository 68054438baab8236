package accounts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"errand/internal/cli/console"
	"errand/internal/config"
)

func (a *addition) keep(token config.Secret, done *added) error {
	done.Account, done.File = a.kind+"/"+a.account, a.file
	if a.keeps != "" {
		return a.renew(token, done)
	}
	entry := config.NewChannel{Kind: a.kind, Account: a.account, Agent: a.agent, URL: a.url, TokenEnv: a.tokenEnv}
	made := false // this run has created the token file
	if a.kind != config.WhatsApp && a.tokenEnv == "" {
		entry.TokenFile = filepath.Join("secrets", a.kind+"-"+a.account+".token")
		done.TokenFile = filepath.Join(filepath.Dir(a.file), entry.TokenFile)
		var err error
		if made, err = a.keepToken(done.TokenFile, token); err != nil {
			return err
		}
	}
	if err := config.AddChannel(a.file, entry, a.Getenv); err != nil {
		if made {
			err = errors.Join(err, os.Remove(done.TokenFile))
		}
		return err
	}
	if done.TokenFile != "" {
		a.printf("The token is in %s, which only you can read.", done.TokenFile)
	}
	a.printf("%s is now in %s.", done.Account, a.file)
	return nil
}

// keepToken writes a token to a file of its own. made is false if the file already has it.
func (a *addition) keepToken(path string, token config.Secret) (made bool, err error) {
	switch held, err := os.ReadFile(path); {
	case err == nil && strings.TrimSpace(string(held)) == token.Reveal():
		return false, nil
	case err == nil:
		return false, fmt.Errorf("%s already exists, with another token. If nothing uses it, remove it and run this again; otherwise choose another name with --account", path)
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err := KeepSecret(path, token); err != nil {
		return false, err
	}
	return true, nil
}

// KeepSecret atomically writes a file that only its owner can read. If it creates the
// folder, only the owner can open it, and git ignores it.
func KeepSecret(path string, secret config.Secret) error {
	if err := keepOut(filepath.Dir(path)); err != nil {
		return err
	}
	return writeSecret(path, secret)
}

func (a *addition) renew(token config.Secret, done *added) error {
	done.Replaced = true
	if a.inEnv() {
		return console.Failf("%s reads the token of %s from the environment variable %s: set it there", a.file, done.Account, a.keeps)
	}
	done.TokenFile = a.keeps
	if err := writeSecret(a.keeps, token); err != nil {
		return err
	}
	a.printf("%s already existed. Its token in %s is now this one.", done.Account, a.keeps)
	return nil
}

// inEnv reports whether the existing account reads its token from an environment variable.
func (a *addition) inEnv() bool {
	_, err := os.Stat(a.keeps)
	return err != nil && variable.MatchString(a.keeps)
}

// writeSecret atomically writes a file that only its owner can read.
func writeSecret(path string, secret config.Secret) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".token-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(secret.Reveal() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}

func keepOut(folder string) error {
	if err := os.Mkdir(folder, 0o700); errors.Is(err, fs.ErrExist) {
		return nil // an existing folder stays unchanged
	} else if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o600)
}
