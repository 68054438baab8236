package config

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMachineZone(t *testing.T) {
	none := errors.New("none")
	link := func(to string) func(string) (string, error) {
		return func(string) (string, error) {
			if to == "" {
				return "", none
			}
			return to, nil
		}
	}
	file := func(text string) func(string) ([]byte, error) {
		return func(string) ([]byte, error) {
			if text == "" {
				return nil, none
			}
			return []byte(text), nil
		}
	}
	tests := []struct{ name, tz, link, file, want string }{
		{"the variable first", "Europe/Oslo", "/usr/share/zoneinfo/Asia/Tokyo", "America/Lima\n", "Europe/Oslo"},
		{"with a colon", ":Europe/Oslo", "", "", "Europe/Oslo"},
		{"the link", "", "../usr/share/zoneinfo/Asia/Tokyo", "America/Lima\n", "Asia/Tokyo"},
		{"the file", "", "/etc/other", "America/Lima\n", "America/Lima"},
		{"what is no zone is passed over", "Middle/Earth", "", "America/Lima", "America/Lima"},
		{"nothing known", "", "", "", "UTC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, hostZone(tt.tz, link(tt.link), file(tt.file)))
		})
	}
	c := defaults()
	c.TimeZone = "Europe/Oslo"
	require.Equal(t, "Europe/Oslo", c.Zone().String())
}
