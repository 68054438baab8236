package discord

import (
	"fmt"
	"strconv"
	"time"
)

// How long a bot has to answer, and how long it may then say more.
const (
	answerWithin = 3 * time.Second
	sayMoreFor   = 15 * time.Minute
)

// The types of interactions.
const (
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
)

// The types of answers.
const (
	answerMessage  = 4
	answerLater    = 5
	answerUpdateIt = 6 // later, or not at all
	answerUpdate   = 7
	answerChoices  = 8
)

// An Interaction is a person's doing that a bot has to answer. Who made it sees
// in [Server.Answer] what became of it.
type Interaction struct {
	ID string

	kind     int
	token    string
	bot      *Bot
	by       *Person
	channel  *Channel
	at       time.Time
	on       *shown // whose component was used
	answered int    // the type of the answer; 0: none
	original *shown // what @original is
	choices  []Choice
}

// An Answer is what became of an interaction.
type Answer struct {
	// Type is 4 to 8, as Discord numbers them; 0: no answer.
	Type int
	// Failed: the time is over, and the person reads that the application did not
	// respond.
	Failed  bool
	Choices []Choice // of autocompletion
}

// Answer returns what became of an interaction; what a bot said is in
// [Server.Sees].
func (s *Server) Answer(i *Interaction) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Answer{i.answered, i.answered == 0 && s.late(i), i.choices}
}

func (s *Server) late(i *Interaction) bool { return s.opts.Now().Sub(i.at) > answerWithin }

func (s *Server) interact(i *Interaction, data map[string]any) *Interaction {
	i.ID, i.at = s.id(), s.opts.Now()
	i.token = fmt.Sprintf("aW50ZXJhY3Rpb246%s%080d", i.ID, s.lastID)
	s.presses[i.token] = i
	c := i.channel
	info := map[string]any{"id": i.ID, "application_id": i.bot.ID, "type": i.kind, "token": i.token, "version": 1, "data": data,
		"channel_id": c.ID, "channel": c.info(), "locale": i.by.Locale, "entitlements": []any{}, "context": 1,
		"app_permissions": strconv.FormatInt(int64(everyone), 10), "authorizing_integration_owners": map[string]string{}}
	if i.on != nil {
		info["message"] = s.render(i.on, i.bot, true)
	}
	if c.guild == nil {
		info["user"] = i.by.account()
	} else {
		m := c.guild.member(i.by).info()
		m.Permissions = s.permissions(i.by, c).String()
		info["member"], info["guild_id"], info["guild_locale"], info["context"] = m, c.guild.ID, "en-US", 0
		info["app_permissions"] = s.permissions(i.bot, c).String()
	}
	s.dispatch(i.bot, always, "INTERACTION_CREATE", info)
	s.happened()
	return i
}

func (s *Server) answerInteraction(r *request) (any, error) {
	i := s.presses[r.PathValue("token")]
	if i == nil || i.ID != r.PathValue("interaction") || i.answered == 0 && s.late(i) {
		return nil, errInteraction
	}
	if i.answered != 0 {
		return nil, errAnswered
	}
	var form struct {
		Type int `json:"type"`
		Data *struct {
			draft
			Choices []Choice `json:"choices"`
		} `json:"data"`
	}
	if err := r.decode(&form); err != nil {
		return nil, err
	}
	d := &draft{}
	var choices []Choice
	if form.Data != nil {
		d, choices = &form.Data.draft, form.Data.Choices
	}
	d.files = r.files
	if err := d.check(); err != nil {
		return nil, err
	}
	if err := i.fits(form.Type); err != nil {
		return nil, err
	}
	var err error
	switch form.Type {
	case answerMessage, answerLater:
		i.original, err = s.answer(i, d, form.Type == answerLater)
	case answerUpdateIt:
		i.original = i.on
	case answerUpdate:
		i.original = i.on
		err = s.revise(i.on, d)
	case answerChoices:
		total := 0
		if len(choices) > mostChoices {
			return nil, invalid([]string{"data", "choices"}, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
		}
		err = checkChoices([]string{"data", "choices"}, choices, &total)
		i.choices = choices
	}
	if err != nil {
		return nil, err
	}
	i.answered = form.Type
	s.happened()
	return nil, nil
}

// fits refuses a type of answer that an interaction cannot have.
func (i *Interaction) fits(kind int) error {
	ok := kind == answerMessage || kind == answerLater
	switch i.kind {
	case interactionComponent:
		ok = ok || kind == answerUpdateIt || kind == answerUpdate
	case interactionAutocomplete:
		ok = kind == answerChoices
	}
	if ok {
		return nil
	}
	return invalid([]string{"type"}, "INTERACTION_TYPE_INVALID", fmt.Sprintf("An interaction of type %d cannot be answered with type %d.", i.kind, kind))
}

func (s *Server) answer(i *Interaction, d *draft, later bool) (*shown, error) {
	m := s.draw(i.channel, i.bot)
	m.press, m.ApplicationID, m.WebhookID = i, i.bot.ID, i.bot.ID
	if i.kind == interactionCommand {
		m.Type = typeCommand
	}
	if i.on != nil && i.on.only == nil {
		m.Type, m.replied, m.Reference = typeReply, i.on, &reference{MessageID: i.on.ID, ChannelID: i.channel.ID}
	}
	if d.Flags&flagEphemeral != 0 {
		m.only, m.Flags = i.by, flagEphemeral
	}
	if later {
		m.Flags |= flagLoading
	} else if err := s.put(d, m); err != nil {
		return nil, err
	}
	s.publish(m)
	return m, nil
}
