//go:build linux

package ownports

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// A port is listed for as long as it is open, for either version of IP.
func TestListening(t *testing.T) {
	four, err := net.Listen("tcp4", "127.3.2.1:0")
	require.NoError(t, err)
	six, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		six = four // a machine without IPv6
	}
	at, err := Listening()
	require.NoError(t, err)
	require.Contains(t, at, four.Addr().String())
	require.Contains(t, at, six.Addr().String())
	four.Close()
	six.Close()
	at, err = Listening()
	require.NoError(t, err)
	require.NotContains(t, at, four.Addr().String())
}
