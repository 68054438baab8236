package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// A Question is a question to a person, or an approval, with the chat where it is asked.
type Question struct {
	core.Question
	Channel string `json:"channel,omitempty" description:"the channel where it is asked; empty: no chat shows it"`
	Chat    string `json:"chat,omitempty" description:"the chat where it is asked"`

	MayAnswer bool     `json:"may_answer" description:"whether the question is open and you may answer it; tokens can never approve"`
	Deciders  []string `json:"deciders,omitempty" description:"names of the people who may answer; only for open questions"`
}

type ListQuestionsInput struct {
	Chat   string        `query:"chat" description:"only questions of this chat, to any person"`
	Person core.PersonID `query:"person" description:"the person who is asked; default: you; *: everybody"`
	All    bool          `query:"all" description:"true: closed questions too"`
	After
	Limit int `query:"limit" default:"100" maximum:"1000" description:"maximum number of questions, the newest; default 100"`
	// Here selects the questions of a conversation, of all its people. Only commands set it.
	Here core.SessionKey `wire:"-"`
}

// ListQuestions lists the oldest question of a page first. The first page has the newest questions.
var ListQuestions = Op[ListQuestionsInput, List[Question]]{
	Name: "listQuestions", Needs: rights.QuestionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/questions",
	About: "List questions that wait for an answer",
}

type ListTaskQuestionsInput struct {
	ID core.TaskID `wire:"-"` // of one of the actor's own tasks
}

var ListTaskQuestions = Op[ListTaskQuestionsInput, []core.Question]{
	Name: "listTaskQuestions", Needs: rights.TasksRead, Also: []string{rights.QuestionsRead},
	About: "List the open questions of a task and of the tasks below it, oldest first",
}

// QuestionID is part of inputs with a question in the path.
type QuestionID struct {
	ID string `path:"id" id:"question" description:"question id, or its unique beginning"`
}

var GetQuestion = Op[QuestionID, Question]{
	Name: "getQuestion", Needs: rights.QuestionsRead, Also: []string{rights.OthersChange}, Route: "GET /api/questions/{id}",
	About: "Get a question, and who may answer it",
}

// A QuestionAnswer is an answer to a question, or the refusal to answer.
type QuestionAnswer struct {
	Text    string `json:"text,omitempty" description:"the answer: one of the options or its number, if it has options; JSON that fits the schema, if it has one; otherwise any text"`
	Decline bool   `json:"decline,omitempty" description:"true: decline to answer; leave text empty"`
	Hash    string `json:"hash,omitempty" description:"for an approval: the hash of the arguments, as shown with the complete arguments; required for a yes if chats show the arguments cut"`
}

type AnswerQuestionInput struct {
	QuestionID
	Body    QuestionAnswer
	Route   core.Route `wire:"-"` // where the actor answers; default: the page
	Shown   bool       `wire:"-"` // they answer what a chat has shown them; ID is the whole id
	Program bool       `wire:"-"` // a program answers for the actor: it cannot approve
}

// AnswerQuestion refuses further answers to a closed question. The error contains the first answer.
var AnswerQuestion = Op[AnswerQuestionInput, Question]{
	Name: "answerQuestion", Needs: rights.QuestionsAnswer, Also: []string{rights.OthersChange, rights.ApprovalsAnswer},
	Route: "POST /api/questions/{id}/answer", Rate: RateMessage,
	Deeds: []core.Deed{core.DeedAnswer, core.DeedDecline, core.DeedApprove, core.DeedDisapprove},
	About: "Answer a question, or decline it", Answer: "the question",
}

type AnswerQuestionByToolInput struct {
	ID    string       `wire:"-"` // of a question in the actor's conversation, or its unique beginning
	Text  string       `wire:"-"`
	Route core.Route   `wire:"-"` // of the conversation
	Key   core.CallKey `wire:"-"` // of the tool call
	Task  bool         `wire:"-"` // the call is of a task's agent, which may not answer
}

// AnswerQuestionByTool carries out the tool answer_task. It answers only in a turn that the
// person's own message began, and only a question to that person.
var AnswerQuestionByTool = Op[AnswerQuestionByToolInput, core.Question]{
	Name: "answerQuestionByTool", Needs: rights.QuestionsAnswer, Tool: true, Deeds: []core.Deed{core.DeedAnswer},
	About: "Answer a question for its person, in that person's words",
}
