package discord

import (
	"regexp"
	"slices"
	"strings"
)

// allowed is which mentions of a text count; nil: all that its author may.
type allowed struct {
	Parse   []string `json:"parse"`
	Roles   []string `json:"roles"`
	Users   []string `json:"users"`
	Replied bool     `json:"replied_user"`
}

func (a *allowed) check() error {
	if a == nil {
		return nil
	}
	for i, list := range map[string][]string{"users": a.Users, "roles": a.Roles} {
		if len(list) > 0 && slices.Contains(a.Parse, i) {
			return invalid([]string{"allowed_mentions"}, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["`+i+`"] and `+i+`: [ids...] are mutually exclusive.`)
		}
		if len(list) > 100 {
			return invalid([]string{"allowed_mentions", i}, "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
		}
	}
	for _, kind := range a.Parse {
		if !slices.Contains([]string{"users", "roles", "everyone"}, kind) {
			return invalid([]string{"allowed_mentions", "parse", "0"}, "BASE_TYPE_CHOICES", `Value must be one of {"everyone", "roles", "users"}.`)
		}
	}
	return nil
}

func (a *allowed) user(id string) bool {
	return a == nil || slices.Contains(a.Parse, "users") || slices.Contains(a.Users, id)
}

func (a *allowed) role(id string) bool {
	return a == nil || slices.Contains(a.Parse, "roles") || slices.Contains(a.Roles, id)
}

var (
	mentions = regexp.MustCompile(`<@(!?|&)(\d+)>`)
	code     = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	crowd    = regexp.MustCompile(`@(everyone|here)\b`)
)

// mention finds the people that a message mentions and pings. Code pings no one, and
// a restricts the rest.
func (s *Server) mention(m *shown, a *allowed) {
	m.Mentions, m.MentionRoles, m.MentionEveryone, m.pings = []*user{}, []string{}, false, nil
	ping := func(u *user) {
		if u != nil && !slices.ContainsFunc(m.Mentions, func(o *user) bool { return o.ID == u.ID }) {
			m.Mentions = append(m.Mentions, u)
			m.pings = append(m.pings, "@"+u.Username)
		}
	}
	if to := m.replied; to != nil && (a == nil || a.Replied) && to.Author.ID != m.Author.ID {
		ping(to.Author)
	}
	text := code.ReplaceAllString(m.Content, " ")
	loud := s.loud(m)
	for _, found := range mentions.FindAllStringSubmatch(text, -1) {
		id := found[2]
		switch {
		case found[1] == "&":
			s.mentionRole(m, a, id, loud)
		case a.user(id):
			ping(s.user(id))
		}
	}
	if crowd.MatchString(text) && m.channel.guild != nil && loud && (a == nil || slices.Contains(a.Parse, "everyone")) {
		m.MentionEveryone = true
		m.pings = append(m.pings, "@"+strings.TrimPrefix(crowd.FindString(text), "@"))
	}
}

func (s *Server) mentionRole(m *shown, a *allowed, id string, loud bool) {
	if m.channel.guild == nil || !a.role(id) || slices.Contains(m.MentionRoles, id) {
		return
	}
	for _, r := range m.channel.guild.roles[1:] {
		if r.ID == id && (r.Mentionable || loud) {
			m.MentionRoles = append(m.MentionRoles, id)
			m.pings = append(m.pings, "@"+r.Name)
		}
	}
}

// loud reports whether the author of m may mention everyone.
func (s *Server) loud(m *shown) bool {
	return m.channel.guild != nil && s.permissions(m.by, m.channel)&MentionEveryone != 0
}
