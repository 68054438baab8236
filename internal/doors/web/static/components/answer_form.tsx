// What a question is answered with, in place: a button for each option, a field for each
// value of its schema, or a text.

import type * as API from "../api_types";
import {messageOf} from "../api";
import {announce} from "../stores/announcer";
import type {Given} from "../stores/questions";
import {useState} from "../ui";
import {say} from "../words";
import {Approval, chosen} from "./approval";
import {fieldsOf, type Schema, SchemaField, valueOf} from "./schema_field";
import {WhyNot} from "./why_not";

const keys = 9; // options that a number key chooses

// An approval is declined by its second option.
const mayDecline = (q: API.QuestionView) => q.kind !== "approval";

// answer is called with what is said: {text}, or {decline: true}. What goes wrong is told
// here.
export function AnswerForm({question: q, answer}: {question: API.QuestionView; answer: (given: Given) => Promise<unknown>}) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const send = async (given: Given) => {
    if (busy) return;
    setBusy(true);
    setWrong("");
    try {
      await answer(given);
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
    setBusy(false);
  };
  const about = q.text.length > 80 ? `${q.text.slice(0, 80)}…` : q.text;
  const pressed = (event: KeyboardEvent) => {
    const option = q.options?.[Number(event.key) - 1];
    if (!option || q.kind === "approval" || event.ctrlKey || event.metaKey || event.altKey || (event.target as Element).matches("input, textarea, select")) return;
    event.preventDefault();
    send(chosen(q.approval, option));
  };
  return <div class="answer-form" data-question={q.id} role="group" onKeyDown={pressed} aria-label={say("page.answer_form.answer_question", {question: about})}>
    <Approval approval={q.approval} />
    {q.options?.length ? <Options question={q} busy={busy} send={send} />
      : q.schema ? <Fields schema={q.schema as Schema} id={q.id} busy={busy} send={send} />
      : <Free about={about} busy={busy} send={send} />}
    {q.kind === "approval" && <WhyNot about={about} busy={busy} send={send} />}
    {mayDecline(q) && <button class="link decline" type="button" aria-disabled={busy ? "true" : undefined} aria-label={say("page.answer_form.decline_question", {question: about})}
      onClick={() => send({decline: true})}>{say("page.answer_form.decline")}</button>}
    <span class="said">{wrong}</span>
  </div>;
}

interface FormProps {
  busy: boolean;
  send: (given: Given) => void;
}

// Options are buttons: two or three beside each other for an approval, else one below the other.
function Options({question: q, busy, send}: FormProps & {question: API.QuestionView}) {
  const approves = q.kind === "approval";
  return <div class={approves ? "choices" : "choices options"}>{q.options?.map((option, i) =>
    <button key={i} class={approves && i === 0 ? "primary" : undefined} type="button" dir="auto" aria-disabled={busy ? "true" : undefined} onClick={() => send(chosen(q.approval, option))}>
      {!approves && i < keys && <kbd aria-hidden="true">{i + 1}</kbd>}{option}</button>)}</div>;
}

function Free({about, busy, send}: FormProps & {about: string}) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim()) send({text});
  };
  const typed = (event: KeyboardEvent) => { // as in the chat: Enter sends, Shift+Enter is a new line
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return <form class="fields" onSubmit={submit}>
    <textarea rows={1} dir="auto" placeholder={say("page.your_answer")} aria-label={say("page.answer_form.your_answer", {question: about})} value={text}
      onInput={event => setText(event.currentTarget.value)} onKeyDown={typed}></textarea>
    <button class="small" type="submit" aria-disabled={busy ? "true" : undefined}>{say("page.answer_form.answer")}</button>
  </form>;
}

function Fields({schema, id, busy, send}: FormProps & {schema: Schema; id: string}) {
  const fields = fieldsOf(schema), [values, setValues] = useState<Record<string, string>>({});
  const submit = (event: Event) => {
    event.preventDefault();
    const text = valueOf(schema, values);
    if (text) send({text});
  };
  return <form class="fields several" onSubmit={submit}>
    {fields.map(field => <SchemaField key={field.name} field={field} id={`${id}-${field.name}`} value={values[field.name] ?? ""}
      change={value => setValues(before => ({...before, [field.name]: value}))} />)}
    <button class="small" type="submit" aria-disabled={busy ? "true" : undefined}>{say("page.answer_form.answer")}</button>
  </form>;
}
