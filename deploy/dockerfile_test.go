package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var dockerfiles = []string{"Dockerfile", "Dockerfile.allinone"}

func dockerfile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\\\n", " ")
}

// TestDockerfiles proves that both images are built by the same line, the small one
// without the embedded server; that neither runs as root; and that errand takes what
// they set.
func TestDockerfiles(t *testing.T) {
	instruction := regexp.MustCompile(`^(FROM|WORKDIR|COPY|ARG|RUN|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD) \S`)
	builds := map[string]bool{}
	for _, name := range dockerfiles {
		text := dockerfile(t, name)
		_, image, ok := strings.Cut(text, "\nFROM gcr.io/distroless/static-debian12:nonroot\n")
		require.True(t, ok, "%s is not distroless", name)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				assert.Regexp(t, instruction, line, name)
			}
			if _, build, ok := strings.Cut(line, "CGO_ENABLED=0 go build "); ok {
				builds[build] = true
			}
		}
		assert.Contains(t, image, "\nUSER 65532:65532\n", name)
		assert.Contains(t, image, "\nENTRYPOINT [\"/usr/local/bin/errand\"]\nCMD [\"serve\"]\n", name)
		assert.Contains(t, image, "ENV ERRAND_LISTEN=0.0.0.0:8080 ERRAND_DATA=", name)
	}
	assert.Len(t, builds, 1, "the images are built differently")
	assert.Contains(t, dockerfile(t, "Dockerfile"), "\nARG TAGS=nodevserver\n")
	assert.Contains(t, dockerfile(t, "Dockerfile.allinone"), "\nARG TAGS=\n")
	assert.Contains(t, dockerfile(t, "Dockerfile.allinone"), "\nVOLUME /data\n")
}
