package web

import (
	"cmp"
	"net/http"

	"errand"
	"errand/internal/service"
)

type questionsIn struct {
	Chat   string          `query:"chat" description:"asked in one chat, whoever of its people is asked"`
	Person errand.PersonID `query:"person" description:"whom they ask; you by default, * is everybody"`
	All    bool            `query:"all" description:"true: those that are over too"`
	inPage
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, the newest; 100 by default"`
}

// A questionView is a question as the API shows it: with where it is asked.
type questionView struct {
	errand.Question
	Channel string `json:"channel,omitempty" description:"on which it is asked; empty: it is shown in no chat"`
	Chat    string `json:"chat,omitempty" description:"likewise"`
}

func viewQuestion(q errand.Question) questionView {
	return questionView{q, q.Route.Channel, q.Route.Chat}
}

func (s *Server) getQuestions(r *http.Request, in questionsIn, p service.Page) (list []questionView, next service.Position, err error) {
	f := service.QuestionFilter{Person: in.Person, All: in.All, Page: p}
	if in.Chat != "" {
		if f.Key, err = keyOf(in.Chat, cmp.Or(in.Person, actor(r).Person)); err != nil {
			return nil, nil, err
		}
	}
	found, err := s.Backend.ListQuestions(r.Context(), actor(r), f)
	if err == nil && len(found) >= p.Limit {
		next = service.PositionOfQuestion(found[0]) // the next page is older
	}
	list, err = mapped(found, err, viewQuestion)
	return list, next, err
}

type questionIn struct {
	ID string `path:"id" id:"question" description:"question id, or its unique beginning"`
}

// A shownQuestion is one question with those who may answer it.
type shownQuestion struct {
	questionView
	Deciders  []string `json:"deciders" description:"the names of those who may answer it"`
	MayAnswer bool     `json:"may_answer" description:"whoever asks for it may answer it, by what the request shows: no token approves"`
}

func (s *Server) getQuestion(r *http.Request, in questionIn) (out shownQuestion, err error) {
	q, err := s.Backend.Question(r.Context(), actor(r), in.ID)
	if err != nil {
		return out, err
	}
	out.questionView, out.MayAnswer = viewQuestion(q), s.Backend.MayAnswer(actor(r), q) == nil
	out.Deciders, err = s.Backend.Deciders(r.Context(), actor(r), q)
	return out, err
}

type answerIn struct {
	ID   string `path:"id" id:"question" description:"question id, or its unique beginning"`
	Body struct {
		Text    string `json:"text" description:"the answer: one of the options, or its number, where there are some; what the schema asks for; else any text"`
		Decline bool   `json:"decline" description:"true: you do not want to answer; without text"`
		Hash    string `json:"hash" description:"of an approval: the hash of the arguments, from where all of them are shown; a yes to arguments that chats cut needs it"`
	}
}

func (s *Server) postAnswer(r *http.Request, in answerIn) (questionView, error) {
	q, err := s.Backend.AnswerQuestion(r.Context(), actor(r), in.ID,
		service.Answer{Text: in.Body.Text, Decline: in.Body.Decline, Hash: in.Body.Hash, Route: errand.Route{Channel: errand.ChannelWeb}})
	return viewQuestion(q), err
}
