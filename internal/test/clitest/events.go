package clitest

import (
	"io"
	"net/http"
	"strings"
)

const (
	Messages = "POST /api/sessions/main/messages"
	Events   = "GET /api/sessions/main/events"

	Step  = `{"type":"step","agent":"nikki","turn":1,"text":"thinking"}`
	Delta = `{"type":"delta","agent":"nikki","turn":1,"text":"Hel"}`
	Reply = `{"id":7,"type":"reply","agent":"nikki","turn":1,"text":"Hello."}`
	Late  = `{"id":9,"type":"late","agent":"nikki","task_id":"t-22222222","text":"Two trains."}`
	Ask   = `{"id":8,"type":"question","agent":"nikki","turn":1,"text":"Shall Finn go on?","options":["yes","no, stay"]}`
)

// EventLog plays the event log of chat main: what comes in goes out to the reader.
func EventLog(f *FakeWorker, past ...string) chan string {
	out := make(chan string, 10)
	f.Mux.HandleFunc(Events, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		if r.Header.Get("Last-Event-ID") == "" {
			for _, e := range past {
				SendEvent(w, e)
			}
		}
		for {
			select {
			case <-r.Context().Done():
				return
			case e := <-out:
				if e == "abort" {
					panic(http.ErrAbortHandler)
				}
				SendEvent(w, e)
			}
		}
	})
	f.Mux.HandleFunc(Messages, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"text":"/`) {
			io.WriteString(w, `{"reply":{"agent":"","text":"Stopped."},"command":true}`)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"accepted":true}`)
	})
	return out
}
