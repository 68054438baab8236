// Package push is a push service for tests, with the browsers that have subscribed at it: it
// takes what RFC 8030 and RFC 8292 let it take, and its browsers read what RFC 8291 lets them
// read.
package push

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Browser is one that has subscribed.
type Browser struct {
	Endpoint, P256DH, Auth string // as its PushSubscription has them

	key     *ecdh.PrivateKey
	secret  []byte
	service string // the application server key that it has subscribed with
}

// A Message is one that the service took and its browser could read.
type Message struct {
	Text    string
	TTL     time.Duration
	Topic   string
	Contact string // of who has sent it
}

// An Answer is one that the service is to give instead of 201.
type Answer struct {
	Status     int
	RetryAfter string
}

// A Server is a push service. It is safe for concurrent use.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	browsers map[string]*Browser
	took     map[string][]Message
	answers  map[string][]Answer
	asked    map[string]int
	wrong    []string
}

// Start starts one, without TLS.
func Start() *Server {
	s := &Server{browsers: map[string]*Browser{}, took: map[string][]Message{}, answers: map[string][]Answer{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.push))
	return s
}

// Host is where it listens.
func (s *Server) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Subscribe has a browser subscribe with the key of an application server, in base64url.
func (s *Server) Subscribe(service string) (*Browser, error) {
	if raw, err := base64.RawURLEncoding.DecodeString(service); err != nil || len(raw) != 65 {
		return nil, fmt.Errorf("%q is no applicationServerKey", service)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	secret, id := make([]byte, 16), make([]byte, 24)
	rand.Read(secret)
	rand.Read(id)
	path := "/push/" + base64.RawURLEncoding.EncodeToString(id)
	b := &Browser{
		Endpoint: s.URL + path, P256DH: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		Auth: base64.RawURLEncoding.EncodeToString(secret), key: key, secret: secret, service: service,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[path] = b
	return b, nil
}

// Answer has the next messages to a browser answered otherwise, one after the other.
func (s *Server) Answer(b *Browser, answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(b.Endpoint, s.URL)
	s.answers[path] = append(s.answers[path], answers...)
}

// Took returns what a browser was told, in order.
func (s *Server) Took(b *Browser) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.took[strings.TrimPrefix(b.Endpoint, s.URL)]...)
}

// Asked is how often a message to a browser was sent, whatever was answered.
func (s *Server) Asked(b *Browser) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[strings.TrimPrefix(b.Endpoint, s.URL)]
}

// Wrong is what was wrong with requests, and what browsers could not read.
func (s *Server) Wrong() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.wrong...)
}

// mostBytes is what a push service has to take at least, and common ones at most.
const mostBytes = 4096

func (s *Server) push(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(status int, why string) {
		s.wrong = append(s.wrong, why)
		http.Error(w, why, status)
	}
	b := s.browsers[r.URL.Path]
	if b == nil {
		http.Error(w, "no such subscription", http.StatusNotFound)
		return
	}
	s.asked[r.URL.Path]++
	if list := s.answers[r.URL.Path]; len(list) > 0 {
		s.answers[r.URL.Path] = list[1:]
		if list[0].RetryAfter != "" {
			w.Header().Set("Retry-After", list[0].RetryAfter)
		}
		w.WriteHeader(list[0].Status)
		return
	}
	contact, err := checkProof(r.Header.Get("Authorization"), b.service, s.URL, time.Now())
	ttl, bad := strconv.ParseUint(r.Header.Get("TTL"), 10, 31)
	body, broken := io.ReadAll(io.LimitReader(r.Body, mostBytes+1))
	topic := r.Header.Get("Topic")
	switch {
	case r.Method != http.MethodPost:
		refuse(http.StatusMethodNotAllowed, r.Method+" is no way to send")
	case err != nil:
		refuse(http.StatusForbidden, err.Error())
	case bad != nil:
		refuse(http.StatusBadRequest, fmt.Sprintf("TTL is %q", r.Header.Get("TTL")))
	case len(topic) > 32 || strings.Trim(topic, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "":
		refuse(http.StatusBadRequest, fmt.Sprintf("Topic is %q", topic))
	case r.Header.Get("Content-Encoding") != "aes128gcm":
		refuse(http.StatusBadRequest, fmt.Sprintf("Content-Encoding is %q", r.Header.Get("Content-Encoding")))
	case broken != nil:
		refuse(http.StatusBadRequest, broken.Error())
	case len(body) > mostBytes:
		refuse(http.StatusRequestEntityTooLarge, "the message is too long")
	default:
		text, err := b.read(body)
		if err != nil {
			s.wrong = append(s.wrong, "the browser: "+err.Error()) // the service does not know
		} else {
			s.took[r.URL.Path] = append(s.took[r.URL.Path], Message{string(text), time.Duration(ttl) * time.Second, topic, contact})
		}
		w.Header().Set("Location", s.URL+"/message/"+strconv.Itoa(s.asked[r.URL.Path]))
		w.WriteHeader(http.StatusCreated)
	}
}
