package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"
)

// TestCertificates proves that errand can check the certificate of a model's server on a machine
// that has no certificates of authorities, such as an image with nothing but errand.
func TestCertificates(t *testing.T) {
	if os.Getenv("SSL_CERT_FILE") == os.DevNull {
		pool, err := x509.SystemCertPool()
		if err != nil || pool.Equal(x509.NewCertPool()) {
			t.Errorf("there are no certificates: %v", err)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCertificates$")
	cmd.Env = []string{"SSL_CERT_FILE=" + os.DevNull, "SSL_CERT_DIR=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
