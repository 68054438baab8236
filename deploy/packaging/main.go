// Command packaging builds what errand is released as. deploy/release runs it. It is a module of
// its own, so that errand does not depend on the libraries that make packages and images.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const allPlatforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64"

func main() {
	source := flag.String("source", ".", "errand's checkout")
	out := flag.String("out", "dist", "folder to write to; it must be empty or missing")
	platforms := flag.String("platforms", allPlatforms, "which platforms to build for")
	flag.Parse()
	if err := release(*source, *out, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(top, out string, platforms []string) error {
	if err := makeEmpty(out); err != nil {
		return err
	}
	src, err := readSource(top)
	if err != nil {
		return err
	}
	if err := src.writeArchive(filepath.Join(out, src.archiveName())); err != nil {
		return err
	}
	var images []program
	for _, v := range variants {
		for _, platform := range platforms {
			p, err := src.build(v, platform)
			if err != nil {
				return err
			}
			if err := p.writeArchive(out); err != nil {
				return err
			}
			if v.forPackages && p.os == "linux" {
				images = append(images, p)
			}
		}
	}
	for _, p := range images {
		if err := p.writeDebianPackage(out); err != nil {
			return fmt.Errorf("make the Debian package: %w", err)
		}
	}
	if len(images) > 0 {
		if err := writeImage(out, images); err != nil {
			return fmt.Errorf("make the image: %w", err)
		}
	}
	return writeChecksums(out)
}

func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the folder %s is not empty", dir)
	}
	return err
}

const checksums = "SHA256SUMS"

func writeChecksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var text strings.Builder
	for _, e := range entries {
		sum, err := checksum(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	fmt.Print(text.String())
	return os.WriteFile(filepath.Join(dir, checksums), []byte(text.String()), 0o644)
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
