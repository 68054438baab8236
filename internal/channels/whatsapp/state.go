package whatsapp

import (
	"fmt"
	"time"

	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/channels"
	"errand/internal/platform"
)

// howToLink is the advice for an account that is not linked.
func (c *Channel) howToLink() string {
	return "link it with " + platform.SetUp("whatsapp", c.Account) + ", or scan the QR code on the page /channels: on the phone, Settings, Linked devices, Link a device"
}

// unlinked is the status of an account that no phone has linked.
func (c *Channel) unlinked(link string) channels.Status {
	detail := c.why
	if detail == "" {
		detail = "no phone has linked the account yet"
	}
	return channels.Status{State: channels.LoggedOut, Detail: detail, Advice: c.howToLink(), Link: link}
}

// longestTruce is how long a ban is believed before it is tried again.
const longestTruce = 24 * time.Hour

// failed notes why a connection ended, and returns how long to wait.
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
	switch event := e.event.(type) {
	case *events.LoggedOut:
		c.why = whyLoggedOut(event.Reason)
		s = c.unlinked("")
	case *events.StreamReplaced:
		s.State, s.Detail = channels.Replaced, "another program has connected as the same device"
		s.Advice = "stop the other program: it uses a copy of errand's data. If there is none, unlink the device on the phone and " + c.howToLink()
		wait = max(wait, c.Truce)
	case *events.TemporaryBan:
		wait = max(wait, min(max(event.Expire, c.Truce), longestTruce))
		s.Detail = "WhatsApp has banned the number for a while: " + event.Code.String()
		s.Advice = "write to fewer people who have not written first; nothing can be sent until the ban is over"
		if event.Expire > 0 {
			s.Advice += ", which WhatsApp says is in " + event.Expire.String()
		}
	case *events.ClientOutdated:
		s.Detail, s.Advice = "WhatsApp does not serve this version any more (405)", "update errand"
		wait = max(wait, c.Truce)
	case *events.ConnectFailure:
		s.Detail = fmt.Sprintf("WhatsApp refuses the login (%d)", int(event.Reason))
	case *events.StreamError:
		s.Detail = "WhatsApp ended the connection (" + event.Code + ")"
	case *events.Disconnected:
		s.Detail = "the connection broke"
	default:
		s.Detail = "WhatsApp cannot be reached: " + e.err.Error()
		if e.intake {
			s.Detail = "messages cannot be taken in: " + e.err.Error()
		}
	}
	c.Set(s)
	return wait
}

// whyLoggedOut says in words why a device is linked no more.
func whyLoggedOut(reason events.ConnectFailureReason) string {
	switch reason {
	case events.ConnectFailureMainDeviceGone: // 403
		return "WhatsApp has locked the account, or its phone is gone (403): see WhatsApp on the phone"
	case events.ConnectFailureUnknownLogout: // 406
		return "WhatsApp has banned the number (406): see WhatsApp on the phone, where a review can be asked for"
	}
	return "it was logged out on the phone"
}
