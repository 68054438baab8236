package discord

import (
	"slices"
	"strconv"
)

// find returns a message of the channel; nil if it is not, or not any more.
func (c *Channel) find(id string) *shown {
	for _, m := range c.shown {
		if m.ID == id && !m.deleted {
			return m
		}
	}
	return nil
}

func (s *Server) message(r *request, p Permission) (*shown, error) {
	c, err := s.channel(r, p)
	if err != nil {
		return nil, err
	}
	m := c.find(r.PathValue("message"))
	if m == nil || m.only != nil {
		return nil, errMessage
	}
	return m, nil
}

func (s *Server) getMessage(r *request) (any, error) {
	m, err := s.message(r, ReadHistory)
	if err != nil {
		return nil, err
	}
	return s.render(m, r.bot, r.bot.Intents&MessageContent != 0), nil
}

// listMessages returns up to 100 messages, the newest first: the last ones, or
// those that are next to an id.
func (s *Server) listMessages(r *request) (any, error) {
	c, err := s.channel(r, ViewChannel)
	if err != nil {
		return nil, err
	}
	limit, q := 50, r.URL.Query()
	if l := q.Get("limit"); l != "" {
		if limit, err = strconv.Atoi(l); err != nil || limit < 1 || limit > 100 {
			return nil, invalid([]string{"limit"}, "NUMBER_TYPE_COERCE", "int value should be between 1 and 100.")
		}
	}
	for _, name := range []string{"before", "after", "around"} {
		if id := q.Get(name); id != "" && number(id) <= 0 && id != "0" {
			return nil, invalid([]string{name}, "NUMBER_TYPE_COERCE", "Value \""+id+"\" is not snowflake.")
		}
	}
	var all []*shown
	if s.may(r.bot, c, ReadHistory) == nil {
		all = slices.DeleteFunc(slices.Clone(c.shown), func(m *shown) bool { return m.deleted || m.only != nil })
	}
	from := func(id string) int {
		return len(all) - len(slices.DeleteFunc(slices.Clone(all), func(m *shown) bool { return compare(m.ID, id) < 0 }))
	}
	lo, hi := len(all)-limit, len(all)
	switch {
	case q.Get("around") != "":
		lo = from(q.Get("around")) - limit/2
		hi = lo + limit
	case q.Get("before") != "":
		hi = from(q.Get("before"))
		lo = hi - limit
	case q.Get("after") != "":
		lo = from(strconv.FormatInt(number(q.Get("after"))+1, 10))
		hi = lo + limit
	}
	list := []*message{}
	for _, m := range slices.Backward(all[min(max(lo, 0), len(all)):min(max(hi, 0), len(all))]) {
		list = append(list, s.render(m, r.bot, r.bot.Intents&MessageContent != 0))
	}
	return list, nil
}
