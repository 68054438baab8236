package whatsapp

import (
	"time"

	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/channels"
)

func (c *Channel) unlinked(link string) channels.Status {
	detail := c.why
	if detail == "" {
		detail = "no phone has linked the account yet"
	}
	return channels.Status{State: channels.LoggedOut, Detail: detail, Advice: LinkAdvice(c.Account), Link: link}
}

// longestTruce is the longest wait during a ban before errand tries to connect again.
const longestTruce = 24 * time.Hour

func (c *Channel) failed(e ending) time.Duration {
	wait := c.pause()
	if e.pair {
		if e.err != nil {
			c.why = "it was not linked: " + e.err.Error()
		}
		c.Set(c.unlinked(""))
		return wait
	}
	s := channels.Status{State: channels.Degraded}
	switch f, known := ExplainEnd(e.event, c.Account); {
	case known:
		s.Detail, s.Advice = f.Err.Error(), f.Advice
		switch e.event.(type) {
		case *events.LoggedOut:
			c.why = s.Detail
			s = c.unlinked("")
		case *events.StreamReplaced:
			s.State = channels.Replaced
			wait = max(wait, c.Truce)
		case *events.TemporaryBan:
			wait = max(wait, min(max(f.RetryAfter, c.Truce), longestTruce))
		case *events.ClientOutdated:
			wait = max(wait, c.Truce)
		}
	case e.intake:
		s.Detail = "messages cannot be taken in: " + e.err.Error()
	default:
		s.Detail = "WhatsApp cannot be reached: " + e.err.Error()
	}
	c.Set(s)
	return wait
}
