// One entry of a chat that somebody has said.

import {html, useLayoutEffect, useRef} from "../ui.js";
import {AnswerForm} from "./answer_form.js";
import {FileLink} from "./file.js";
import {Meta} from "./meta.js";
import {QuestionEnd} from "./question_end.js";
import {mayAnswer} from "../stores/questions.js";
import {later} from "./later.js";
import {Text} from "./text.js";
import {language, say, sayWith} from "../words.js";

const ToolsUsed = later(() => import("./tools_used.js"), "ToolsUsed");

// Why a text ends before its end.
const endings = {
  stopped: () => say("page.message.stopped"),
  length: () => say("page.message.cut_off_models_limit"),
  content_filter: () => say("page.message.models_provider_withheld_rest"),
};

export function Message({entry, conversation, send}) {
  const {kind, who, text, live, ending, options, passing, file} = entry, {choices} = conversation;
  // How to answer without buttons stands behind the words of a question.
  const asked = entry.question && conversation.asked(entry);
  const tools = entry.tools?.length > 0 && html`<${ToolsUsed} used=${entry.tools} session=${entry.session} turn=${entry.turnNumber} />`;
  if (kind === "notice") {
    return html`<div class="message notice" dir="auto">${text}${passing && html`<span class="note">${say("page.message.only_here_reloading_page")}</span>`}${tools}</div>`;
  }
  const offered = ending === "length" ? [say("page.message.continue")] : options ?? [];
  const offers = choices.value === entry.key && offered.length > 0;
  const errands = kind === "late" ? conversation.from(entry) : [];
  return html`<div class="message ${kind}" id=${entry.event ? `e${entry.event}` : undefined} tabindex=${entry.event ? "-1" : undefined}>
    ${who && html`<span class="who">${who}</span>`}
    ${errands.length > 0 && html`<span class="errand" lang=${language}>${errands.map(id => html`<a key=${id} href=${`#${id}`}>${say("page.message.result_of", {title: conversation.tasks.get(id).value?.title ?? id})}</a> `)}</span>`}
    ${(text || live) && html`<${Text} text=${asked && text.startsWith(asked.text) ? asked.text : text} live=${live} />`}
    ${file && html`<${FileLink} href=${`/api/file-versions/${file.id}`} name=${file.name} size=${file.size} type=${file.type} />`}
    ${tools}
    ${endings[ending] && html`<p class="ending">${endings[ending]()}</p>`}
    ${offers && html`<div class="choices">
      ${offered.map(option => html`<button key=${option} class="small" type="button" onClick=${() => send(option)}>${option}</button>`)}
    </div>`}
    ${entry.question && html`<${Asked} question=${asked} conversation=${conversation} />`}
    ${!kind.includes("live") && html`<${Meta} entry=${entry} text=${text || live ? () => text || live.text : undefined}>
      ${conversation.lastSaid.value === entry && !options?.length && html`<button class="link" type="button" aria-label=${say("page.message.try_again_have_your")} onClick=${() => conversation.again()}>${say("page.message.try_again")}</button>`}
    <//>`}
  </div>`;
}

// A question is answered where it was asked; then that place says how.
function Asked({question: q, conversation}) {
  const at = useRef(), held = at.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with the question: its end has the focus then.
    if (held && !at.current.contains(document.activeElement)) at.current.focus({preventScroll: true});
  });
  return html`<div class="asked" tabindex="-1" ref=${at}>
    ${q && mayAnswer(q) && html`<${AnswerForm} question=${q} answer=${given => conversation.questions.answer(q.id, given)} />`}
    ${q && html`<${QuestionEnd} question=${q} />
      <p class="note"><code>${q.id}</code>${q.task_id && html` ${sayWith("page.message.for", {task: html`<code>${q.task_id}</code>`})}`}</p>`}
  </div>`;
}
