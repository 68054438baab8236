package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of a message.
const (
	LongestText  = 2000 // code points
	longestNonce = 25
	mostEmbeds   = 10
	mostFiles    = 10
	longestEmbed = 6000 // all embeds of a message together
)

// A draft is what a client wants a message to be. What is absent of an edit stays
// as it is.
type draft struct {
	Content      *string         `json:"content"`
	Nonce        json.RawMessage `json:"nonce"`
	EnforceNonce bool            `json:"enforce_nonce"`
	TTS          bool            `json:"tts"`
	Embeds       *[]embed        `json:"embeds"`
	Components   *[]component    `json:"components"`
	Allowed      *allowed        `json:"allowed_mentions"`
	Reference    *reference      `json:"message_reference"`
	Stickers     []string        `json:"sticker_ids"`
	Flags        int             `json:"flags"`
	Poll         *poll           `json:"poll"`
	Attachments  *[]struct {
		ID json.RawMessage `json:"id"`
	} `json:"attachments"`

	files []upload
}

func (r *request) draft() (*draft, error) {
	var d draft
	if len(r.body) > 0 {
		if err := r.decode(&d); err != nil {
			return nil, err
		}
	}
	d.files = r.files
	return &d, d.check()
}

func (d *draft) check() error {
	if d.Content != nil && !utf8.ValidString(*d.Content) {
		return errJSON
	}
	if d.Content != nil && utf8.RuneCountInString(*d.Content) > LongestText {
		return invalid([]string{"content"}, "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	}
	if len([]rune(d.nonce())) > longestNonce {
		return invalid([]string{"nonce"}, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	if len(d.files) > mostFiles {
		return no(400, 30015, "Maximum number of attachments in a message reached (10)")
	}
	if d.Flags&flagV2 != 0 {
		return invalid([]string{"flags"}, "UNSUPPORTED", "This server does not know the second kind of components.")
	}
	if d.Components != nil {
		if err := checkComponents(*d.Components); err != nil {
			return err
		}
	}
	if d.Embeds != nil {
		if err := checkEmbeds(*d.Embeds); err != nil {
			return err
		}
	}
	return d.Allowed.check()
}

func (d *draft) nonce() string {
	var text string
	if json.Unmarshal(d.Nonce, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(d.Nonce))
}

func checkEmbeds(list []embed) error {
	if len(list) > mostEmbeds {
		return invalid([]string{"embeds"}, "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	total := 0
	for i, e := range list {
		for _, f := range []struct {
			name, text string
			most       int
		}{{"title", e.Title, 256}, {"description", e.Description, 4096}} {
			n := utf8.RuneCountInString(f.text)
			if n > f.most {
				return invalid([]string{"embeds", strconv.Itoa(i), f.name}, "BASE_TYPE_MAX_LENGTH", fmt.Sprintf("Must be %d or fewer in length.", f.most))
			}
			total += n
		}
		if len(e.Fields) > 25 {
			return invalid([]string{"embeds", strconv.Itoa(i), "fields"}, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
		}
		for _, f := range e.Fields {
			total += utf8.RuneCountInString(f.Name) + utf8.RuneCountInString(f.Value)
		}
		if e.Footer != nil {
			total += utf8.RuneCountInString(e.Footer.Text)
		}
	}
	if total > longestEmbed {
		return invalid([]string{"embeds"}, "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
	}
	return nil
}

// put makes m what the draft says, and refuses one that is then empty. Space
// around a text is cut off.
func (s *Server) put(d *draft, m *shown) error {
	next := m.message
	if d.Content != nil {
		next.Content = strings.TrimSpace(*d.Content)
	}
	if d.Embeds != nil {
		next.Embeds = append([]embed{}, *d.Embeds...)
		for i := range next.Embeds {
			next.Embeds[i].Type = "rich"
		}
	}
	if d.Components != nil {
		next.Components = append([]component{}, *d.Components...)
	}
	for _, id := range d.Stickers {
		next.Stickers = append(next.Stickers, sticker{ID: id, Name: "sticker", Format: 1})
	}
	if d.Poll != nil {
		next.Poll = d.Poll
		next.Poll.Expiry = stamp(s.until(dayOfPoll))
	}
	if d.Attachments != nil {
		kept := []attachment{}
		for _, a := range next.Attachments {
			for _, keep := range *d.Attachments {
				if strings.Trim(string(keep.ID), `"`) == a.ID {
					kept = append(kept, a)
				}
			}
		}
		next.Attachments = kept
	}
	reported := next.Type == typeDefault || next.Type == typeReply || next.Type == typeCommand
	if reported && next.Content == "" && len(next.Embeds)+len(next.Attachments)+len(next.Stickers)+len(next.Components)+len(next.Snapshots)+len(d.files) == 0 && next.Poll == nil {
		return errEmpty
	}
	for _, f := range d.files {
		a := s.store(m.channel, f.name, f.kind, f.data)
		a.Ephemeral = m.only != nil
		next.Attachments = append(next.Attachments, a)
	}
	m.message = next
	s.mention(m, d.Allowed)
	return nil
}
