package push

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"strings"
	"testing"
)

func raw(t testing.TB, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// of RFC 8291, section 5.
var example = Subscription{
	Endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
	P256DH:   "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
	Auth:     "BTBZMqHH6r4Tts7J_aSIgg",
}

// TestEncryptVector holds the encryption against the example of RFC 8291.
func TestEncryptVector(t *testing.T) {
	key, err := ecdh.P256().NewPrivateKey(raw(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := example.seal([]byte("When I grow up, I want to be a watermelon"), 0, key, raw(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := raw(t, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// TestEncryptHidesLength proves that two messages of other lengths are as long as each other,
// and that none is longer than push services take.
func TestEncryptHidesLength(t *testing.T) {
	length := func(n int) int {
		out, err := example.Encrypt(make([]byte, n))
		if err != nil {
			t.Fatal(n, err)
		}
		return len(out)
	}
	if a, b := length(20), length(900); a != b {
		t.Errorf("20 bytes become %d, and 900 %d", a, b)
	}
	if n := length(MaxBody); n != recordBytes {
		t.Errorf("the longest message becomes %d bytes", n)
	}
	if _, err := example.Encrypt(make([]byte, MaxBody+1)); err == nil {
		t.Error("a longer one is taken")
	}
}

// TestCheckKeys proves which keys of a browser are refused.
func TestCheckKeys(t *testing.T) {
	sender, err := NewBrowserSender(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Check(example); err != nil {
		t.Fatal(err)
	}
	offCurve := append([]byte{4}, make([]byte, 64)...)
	for name, change := range map[string]func(*Subscription){
		"no key":                 func(s *Subscription) { s.P256DH = "" },
		"a short key":            func(s *Subscription) { s.P256DH = s.P256DH[:40] },
		"a long key":             func(s *Subscription) { s.P256DH = strings.Repeat("A", 10_000) },
		"no point of the curve":  func(s *Subscription) { s.P256DH = base64.RawURLEncoding.EncodeToString(offCurve) },
		"garbage":                func(s *Subscription) { s.P256DH = "\x00<script>" },
		"no secret":              func(s *Subscription) { s.Auth = "" },
		"a short secret":         func(s *Subscription) { s.Auth = "AAAA" },
		"plain HTTP":             func(s *Subscription) { s.Endpoint = "http://push.example.net/x" },
		"no URL":                 func(s *Subscription) { s.Endpoint = "push" },
		"a long endpoint":        func(s *Subscription) { s.Endpoint += strings.Repeat("x", longestEndpoint) },
		"this machine":           func(s *Subscription) { s.Endpoint = "https://127.0.0.1/x" },
		"this machine by name":   func(s *Subscription) { s.Endpoint = "https://localhost/x" },
		"a private network":      func(s *Subscription) { s.Endpoint = "https://10.0.0.1/x" },
		"the metadata of clouds": func(s *Subscription) { s.Endpoint = "https://169.254.169.254/x" },
		"somebody's password":    func(s *Subscription) { s.Endpoint = "https://a:b@push.example.net/x" },
	} {
		s := example
		change(&s)
		if err := sender.Check(s); err == nil {
			t.Errorf("%s is taken", name)
		} else if len(err.Error()) > 300 {
			t.Errorf("%s is refused in %d bytes", name, len(err.Error()))
		}
	}
}

// FuzzEncrypt proves that whatever a browser says its keys are is refused, or a key of the
// curve under which a message comes out at the length that push services take.
func FuzzEncrypt(f *testing.F) {
	f.Add(example.P256DH, example.Auth, []byte("x"))
	f.Add("", "", []byte{})
	f.Add(example.P256DH+"=", example.Auth+"==", []byte(strings.Repeat("x", MaxBody)))
	f.Add(example.P256DH[1:]+"A", "!", []byte("x"))
	f.Fuzz(func(t *testing.T, p256dh, auth string, message []byte) {
		s := Subscription{P256DH: p256dh, Auth: auth}
		out, err := s.Encrypt(message)
		if err != nil {
			return
		}
		if point := raw(t, strings.TrimRight(p256dh, "=")); len(point) != pointBytes || len(message) > MaxBody || len(out) > recordBytes {
			t.Fatalf("%q, %q: %d bytes become %d", p256dh, auth, len(message), len(out))
		}
	})
}
