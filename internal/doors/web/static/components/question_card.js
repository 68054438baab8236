// The card of a question on the lists.

import {display, moment} from "../api.js";
import {announce} from "../stores/announcer.js";
import {me} from "../stores/account.js";
import {mayAnswer} from "../stores/questions.js";
import {html} from "../ui.js";
import {say, sayWith} from "../words.js";
import {Approval} from "./approval.js";
import {Age} from "./age.js";
import {AnswerForm} from "./answer_form.js";
import {QuestionEnd} from "./question_end.js";
import {textOf} from "./schema_field.js";
import {Text} from "./text.js";

const asks = {question: v => say("page.question_card.asks", v), approval: v => say("page.question_card.asks_for_your_approval", v), proposal: v => say("page.question_card.proposes", v)};
const asksOther = {question: v => say("page.question_card.asks_name", v), approval: v => say("page.question_card.asks_approval", v), proposal: v => say("page.question_card.proposes_to", v)};

// headOf says who asks whom.
function headOf(q, called) {
  const mine = q.person === me.value?.id, kinds = mine ? asks : asksOther;
  return (kinds[q.kind] ?? kinds.question)({agent: display(q.agent), name: mine ? "" : called(q.person)});
}

export function QuestionCard({id, questions, called}) {
  const q = questions.get(id).value;
  if (!q) return null;
  const head = headOf(q, called), open = q.state === "open";
  const barred = q.approval && me.value?.approves_nothing, asked = open && mayAnswer(q) && !barred;
  const answer = async given => {
    const {agent, state, schema, answer: said} = await questions.answer(q.id, given);
    announce(state === "declined" ? say("question.declined", {agent: display(agent)}) : say("question.passed_on", {agent: display(agent), answer: textOf(schema, said)}));
  };
  return html`<article class="card question ${q.state}" data-question-card=${q.id} tabindex="-1" aria-label=${`${head}: ${q.text.slice(0, 120)}`}>
    <div class="row"><span class="title" dir="auto">${head}</span>
      <span class="when muted"><time datetime=${q.created}>${moment(q.created)}</time>${open && html` (<${Age} from=${q.created} />)`}</span></div>
    <div class="asked-text"><${Text} text=${q.text} /></div>
    ${asked ? html`<${AnswerForm} question=${q} answer=${answer} />` : null}
    ${open && !mayAnswer(q) && q.options?.length ? html`<p class="muted" dir="auto">${q.options.join(" · ")}</p>` : null}
    ${!asked && html`<${Approval} approval=${q.approval} />`}
    ${open && mayAnswer(q) && barred && html`<p class="muted" dir="auto">${barred}</p>`}
    <${QuestionEnd} question=${q} called=${called} />
    <div class="row muted">
      <code>${q.id}</code>
      ${q.task_id && html`<a href=${`/tasks/${q.task_id}`}>${say("page.question_card.task")} <code>${q.task_id}</code></a>`}
      ${q.chat && (q.channel === "web" && q.person === me.value?.id ? html`<a href=${`/?chat=${encodeURIComponent(q.chat)}`}>${say("page.question_card.in_the_chat", {chat: q.chat})}</a>` : html`<span>${q.channel}, ${q.chat}</span>`)}
      ${open && q.expires && html`<span>${sayWith("page.until", {time: html`<time datetime=${q.expires}>${moment(q.expires)}</time>`})}</span>`}
    </div>
  </article>`;
}
