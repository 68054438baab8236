// What a question is answered with, in place: a button for each option, a field for each
// value of its schema, or a text.

import {announce} from "../stores/announcer.js";
import {html, useState} from "../ui.js";
import {say} from "../words.js";
import {Approval, chosen} from "./approval.js";
import {fieldsOf, SchemaField, valueOf} from "./schema_field.js";
import {WhyNot} from "./why_not.js";

// Of an approval "no" is one of the options.
const mayDecline = q => q.kind !== "approval";

// answer is called with what is said: {text}, or {decline: true}. What goes wrong is told
// here.
export function AnswerForm({question: q, answer}) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const send = async given => {
    if (busy) return;
    setBusy(true);
    setWrong("");
    try {
      await answer(given);
    } catch (error) {
      setWrong(error.message);
      announce(error.message);
    }
    setBusy(false);
  };
  const about = q.text.length > 80 ? `${q.text.slice(0, 80)}…` : q.text;
  return html`<div class="answer-form" data-question=${q.id} role="group" aria-label=${say("page.answer_form.answer_question", {question: about})}>
    <${Approval} approval=${q.approval} />
    ${q.options?.length ? html`<${Options} question=${q} busy=${busy} send=${send} />`
      : q.schema ? html`<${Fields} schema=${q.schema} id=${q.id} busy=${busy} send=${send} />`
      : html`<${Free} about=${about} busy=${busy} send=${send} />`}
    ${q.kind === "approval" && html`<${WhyNot} about=${about} busy=${busy} send=${send} />`}
    ${mayDecline(q) && html`<button class="link decline" type="button" aria-disabled=${busy ? "true" : undefined} aria-label=${say("page.answer_form.decline_question", {question: about})}
      onClick=${() => send({decline: true})}>${say("page.answer_form.decline")}</button>`}
    <span class="said">${wrong}</span>
  </div>`;
}

function Options({question: q, busy, send}) {
  return html`<div class="choices">${q.options.map((option, i) =>
    html`<button key=${i} class="small" type="button" dir="auto" aria-disabled=${busy ? "true" : undefined} onClick=${() => send(chosen(q.approval, option))}>${option}</button>`)}</div>`;
}

function Free({about, busy, send}) {
  const [text, setText] = useState("");
  const submit = event => {
    event.preventDefault();
    if (text.trim()) send({text});
  };
  const typed = event => { // as in the chat: Enter sends, Shift+Enter is a new line
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return html`<form class="fields" onSubmit=${submit}>
    <textarea rows="1" dir="auto" placeholder=${say("page.your_answer")} aria-label=${say("page.answer_form.your_answer", {question: about})} value=${text}
      onInput=${event => setText(event.target.value)} onKeyDown=${typed}></textarea>
    <button class="small" type="submit" aria-disabled=${busy ? "true" : undefined}>${say("page.answer_form.answer")}</button>
  </form>`;
}

function Fields({schema, id, busy, send}) {
  const fields = fieldsOf(schema), [values, setValues] = useState({});
  const submit = event => {
    event.preventDefault();
    const text = valueOf(schema, values);
    if (text) send({text});
  };
  return html`<form class="fields several" onSubmit=${submit}>
    ${fields.map(field => html`<${SchemaField} key=${field.name} field=${field} id=${`${id}-${field.name}`} value=${values[field.name] ?? ""}
      change=${value => setValues(before => ({...before, [field.name]: value}))} />`)}
    <button class="small" type="submit" aria-disabled=${busy ? "true" : undefined}>${say("page.answer_form.answer")}</button>
  </form>`;
}
