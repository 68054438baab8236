package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const nonroot = 65532

// writeImage writes an OCI layout as an archive, with an image for each of the programs. It is a
// whole installation, as that of Dockerfile.allinone.
func writeImage(out string, programs []program) error {
	dir, err := os.MkdirTemp("", "errand-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	from := programs[0].from
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range programs {
		image, err := p.image()
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: p.os, Architecture: p.arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": from.version},
		}})
	}
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	files, err := filesIn(dir)
	if err != nil {
		return err
	}
	data, err := tarOf(files, from.time)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, programs[0].name+"_"+from.version+"_image.tar"), data, 0o644)
}

func (p program) image() (v1.Image, error) {
	base := []file{
		text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin", "errand:x:65532:65532:errand:/data:/sbin/nologin"),
		text("etc/group", "root:x:0:", "errand:x:65532:"),
		{name: "data", mode: fs.ModeDir | 0o700, user: nonroot},
		{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
	image := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	documents := under("usr/share/doc/errand", append(p.legal, p.documents...))
	history := v1.History{Created: v1.Time{Time: p.from.time}, CreatedBy: "deploy/release"}
	for _, files := range [][]file{base, documents, under("usr/local/bin", []file{p.binary})} {
		data, err := tarOf(files, p.from.time)
		if err != nil {
			return nil, err
		}
		opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		compression := tarball.WithCompressionLevel(gzip.DefaultCompression)
		layer, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer), compression)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history}); err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = p.os, p.arch
	config.Created = v1.Time{Time: p.from.time}
	config.Config = v1.Config{
		User: "65532:65532", Env: []string{"ERRAND_LISTEN=0.0.0.0:8080", "ERRAND_DATA=/data"}, WorkingDir: "/data",
		Entrypoint: []string{"/usr/local/bin/errand"}, Cmd: []string{"serve"},
		Volumes: map[string]struct{}{"/data": {}}, ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "errand", "org.opencontainers.image.version": p.from.version,
			"org.opencontainers.image.revision": p.from.commit, "org.opencontainers.image.licenses": p.license,
			"org.opencontainers.image.description": "errand " + p.about + "; its licenses and where its source is: /usr/share/doc/errand",
		},
	}
	return mutate.ConfigFile(image, config)
}

func filesIn(dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, at)
		files = append(files, file{name: filepath.ToSlash(name), mode: 0o644, data: data})
		return err
	})
	return files, err
}
