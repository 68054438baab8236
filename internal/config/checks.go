package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand/internal/fetch"
	"errand/internal/texts"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checks are the formats of the schema. The tag "check" names one, followed by its arguments.
var checks = map[string]func(text string, args ...string) error{
	"duration": checkDuration,
	"age":      checkAge,
	"clock":    func(text string, _ ...string) error { return new(Clock).UnmarshalText([]byte(text)) },
	"zone": func(text string, _ ...string) error {
		if _, err := time.LoadLocation(text); err != nil || text == "" {
			return fmt.Errorf("%q is not a time zone: write for example Europe/Oslo, UTC or Local", text)
		}
		return nil
	},
	"language": func(text string, _ ...string) error { return texts.CheckLanguage(text) },
	"variable": func(text string, of ...string) error {
		if variableName.MatchString(text) || text == "" && of[0] == "key" {
			return nil
		}
		// Do not repeat the value: it may be the key.
		return fmt.Errorf("want the name of an environment variable; the %s itself does not belong in this file", of[0])
	},
	"url": func(text string, _ ...string) error {
		if why := badURL(strings.TrimSpace(text)); why != "" {
			return errors.New(why)
		}
		return nil
	},
	"address": checkAddress,
	"host": func(text string, _ ...string) error {
		_, err := fetch.New(fetch.Options{Allow: []string{text}})
		return err
	},
	"network": func(text string, _ ...string) error {
		_, err := parseNetwork(text)
		return err
	},
	"origin": func(text string, _ ...string) error {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != text {
			return fmt.Errorf("%q is not an origin: write for example http://localhost:3000, without a path", text)
		}
		return nil
	},
}

// checkDuration checks a duration such as 90s or 1h30m. bounds are the minimum and the maximum.
func checkDuration(text string, bounds ...string) error {
	d, err := time.ParseDuration(text)
	var limits [2]time.Duration
	for i, b := range bounds {
		limits[i], _ = time.ParseDuration(b)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a duration: write for example 90s, 30m or 1h30m", text)
	case d < 0:
		return fmt.Errorf("%s is negative", text)
	case d < limits[0]:
		return fmt.Errorf("%s is less than %s", text, bounds[0])
	case limits[1] > 0 && d > limits[1]:
		return fmt.Errorf("%s is more than %s", text, bounds[1])
	}
	return nil
}

// checkAge checks how long data is kept: 0, which means for ever, or at least the given minimum.
func checkAge(text string, least ...string) error {
	d, err := parseAge(text)
	shortest, _ := parseAge(least[0])
	switch {
	case err != nil && least[0] == "1h":
		return fmt.Errorf("%q is not a number of days: write for example 30d, or 0 for ever", text)
	case err != nil:
		return fmt.Errorf("%q is not a time: write for example 1h or 2d", text)
	case d < 0:
		return fmt.Errorf("%s is negative", text)
	case d > 0 && d < shortest:
		return fmt.Errorf("%s is less than %s", text, least[0])
	}
	return nil
}

// checkAddress does not repeat the address, because it may hold a password.
func checkAddress(text string, _ ...string) error {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme):
		return errors.New("want an address such as http://127.0.0.1:8081")
	case u.User != nil:
		return errors.New("passwords do not belong in an address")
	}
	return nil
}

// badURL does not repeat the address, because it may hold a password.
func badURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "want an address such as https://api.openai.com/v1"
	case u.User != nil:
		return "keys and passwords do not belong in an address: use api_key_env"
	}
	return ""
}

func parseNetwork(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if a, errAddr := netip.ParseAddr(text); errAddr == nil && a.Zone() == "" {
		p, err = netip.PrefixFrom(a, a.BitLen()), nil
	}
	if err != nil {
		return p, fmt.Errorf("%q is not an address or network: write for example 10.0.0.5 or 10.0.0.0/8", text)
	}
	return p.Masked(), nil
}
