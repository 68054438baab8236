package store

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"errand"
	"errand/internal/content"
)

// transcribedMark stands in front of words that a machine wrote down: the agent may
// be reading something that nobody said.
const transcribedMark = "spoken, and written down by a machine"

// editedNow stands in front of what corrects a message that the agent has read.
const editedNow = "edited"

// renderMessage is what stands in the transcript for a message: its words, and in
// lines of errand's own what it is a reply to and what came with it.
func (t *tx) renderMessage(n errand.Nonce, row claimRow) (string, error) {
	var lines []string
	about, err := t.repliesTo(n, row.ReplyRow)
	if err != nil {
		return "", err
	}
	if about != "" {
		lines = append(lines, about)
	}
	text := row.Text
	if row.Forwarded {
		// Set in: where somebody else's words end is not for them to say.
		lines, text = append(lines, forwardedMark(n, row.ForwardedFrom)), "  "+setIn.Replace(text)
	}
	if row.Text != "" && row.Hearing == transcribed {
		text = n.Mark(transcribedMark) + " " + text
	}
	if row.Edited {
		text = n.Mark(editedNow) + " " + text
	}
	if row.Text != "" || row.Edited {
		lines = append(lines, text)
	}
	if row.Brings {
		attached, err := artifactsWhere(t, `inbox = ? ORDER BY idx`, row.ID)
		if err != nil {
			return "", err
		}
		for _, a := range attached {
			lines = append(lines, n.Mark(fmt.Sprintf("attached: %s, %s, %s, %s", content.Line(a.Name), content.Line(a.Type), content.Size(a.Size), a.ID)))
		}
	}
	if row.Note != "" {
		// Each line was made by errand, in brackets, before the session was known.
		for line := range strings.SplitSeq(row.Note, "\n") {
			lines = append(lines, n.Mark(strings.TrimSuffix(strings.TrimPrefix(line, "["), "]")))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// forwardedMark says that the person did not write what follows.
func forwardedMark(n errand.Nonce, from string) string {
	if from = content.Line(from); from == "" {
		return n.Mark("forwarded by the person, written by somebody else:")
	}
	return n.Mark("forwarded by the person, written by somebody else, who is called " + strconv.Quote(from) + ":")
}

// setIn begins another line of the same message.
var setIn = strings.NewReplacer("\r\n", "\n  ", "\n", "\n  ", "\r", "\n  ", "\v", "\n  ", "\f", "\n  ", "\u0085", "\n  ", "\u2028", "\n  ", "\u2029", "\n  ")

// speakerLine tells the agent who speaks, where several do. Neither what people call
// themselves nor what they write can make a line that another seems to have said.
func speakerLine(speaker, text string) string {
	return speaker + ": " + setIn.Replace(text)
}

func oneLineName(name string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune(":：︰꞉(){}<>（）［］｛｝〈〉⟨⟩❨❩⁽⁾₍₎", r) {
			return -1
		}
		return r
	}, unbracketed.Replace(content.Line(name)))), " ")
}

// unbracketed parts what brackets hold from what is in front of them.
var unbracketed = strings.NewReplacer("(", " ", ")", " ")

const longestQuote = 200 // characters

// repliesTo says what a row of the outbox was about; nothing if it is not there
// any more.
func (t *tx) repliesTo(nonce errand.Nonce, row int64) (string, error) {
	if row == 0 {
		return "", nil
	}
	list, err := outboxWhere(t, `id = ?`, row)
	if err != nil || len(list) == 0 {
		return "", err
	}
	n := list[0]
	notified, err := tasksWhere(t, `told_by = ? AND told_by <> '' ORDER BY finished LIMIT 5`, n.Key)
	if err != nil {
		return "", err
	}
	if len(notified) > 0 {
		names := make([]string, len(notified))
		for i, task := range notified {
			names[i] = fmt.Sprintf("%s, %s: %s", task.ID, displayed(task.Agents), content.Line(task.Title))
		}
		what := "result of "
		if n.Event == errand.EventLate {
			what = "late result of "
		}
		return nonce.Mark("in reply to: " + what + strings.Join(names, "; ")), nil
	}
	what := ""
	if n.Event == errand.EventQuestion {
		what = "question, "
	}
	return nonce.Mark(fmt.Sprintf("in reply to: %s%s: %s", what, cmp.Or(n.Agent.Display(), "errand"), strconv.Quote(errand.Cut(content.Line(n.Text), longestQuote)))), nil
}

func displayed(agents []errand.AgentName) string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Display()
	}
	return strings.Join(names, " and ")
}

// repliedTo returns the row of the outbox that was sent as a message of a
// platform; 0 if that is none of ours.
func (t *tx) repliedTo(r errand.Route, messageID string) (row int64, err error) {
	if messageID == "" || r.Channel == errand.ChannelWeb {
		return 0, nil
	}
	_, err = t.Value(&row, `SELECT outbox FROM receipts WHERE channel = ? AND account = ? AND chat = ? AND message_id = ?`,
		r.Channel, r.Account, r.Chat, messageID)
	return row, err
}

// answersOther reports whether a message replies to something else than the
// question that its session waits to be answered.
func (b *stepBegin) answersOther(r claimRow) (bool, error) {
	if r.ReplyRow == 0 || b.session.Proposal == "" {
		return false, nil
	}
	var latest int64
	_, err := b.Value(&latest, `SELECT COALESCE(MAX(id), 0) FROM outbox WHERE made_by = ? AND event = 'question'`, b.key.Owner)
	return latest != r.ReplyRow, err
}

func (t *tx) nonceOf(owner errand.Owner) (n errand.Nonce, err error) {
	if id, _, ok := owner.Task(); ok {
		_, err = t.Value(&n, `SELECT nonce FROM tasks WHERE id = ?`, id)
	} else {
		_, err = t.Value(&n, `SELECT nonce FROM sessions WHERE id = ?`, owner)
	}
	return n, err
}
