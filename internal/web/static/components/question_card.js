// The card of a question on the lists.

import {display, moment} from "../api.js";
import {announce} from "../stores/announcer.js";
import {me} from "../stores/account.js";
import {mayAnswer} from "../stores/questions.js";
import {html} from "../ui.js";
import {Approval} from "./approval.js";
import {Age} from "./age.js";
import {AnswerForm} from "./answer_form.js";
import {Held} from "./held.js";
import {QuestionEnd} from "./question_end.js";
import {textOf} from "./schema_field.js";
import {Text} from "./text.js";

const asks = {question: "asks", approval: "asks for your approval", proposal: "proposes"};
const asksOther = {question: "asks", approval: "asks for the approval of", proposal: "proposes to"};

// headOf says who asks whom.
function headOf(q, called) {
  const mine = q.person === me.value?.id;
  return mine ? `${display(q.agent)} ${asks[q.kind] ?? `asks (${q.kind})`}` : `${display(q.agent)} ${asksOther[q.kind] ?? `asks (${q.kind})`} ${called(q.person)}`;
}

export function QuestionCard({id, questions, called}) {
  const q = questions.get(id).value;
  if (!q) return null;
  const head = headOf(q, called), open = q.state === "open";
  const barred = q.approval && me.value?.approves_nothing, asked = open && mayAnswer(q) && !barred;
  const answer = async given => {
    const {agent, state, schema, answer: said} = await questions.answer(q.id, given);
    announce(state === "declined" ? `${display(agent)} goes on without an answer.` : `${display(agent)} has your answer: ${textOf(schema, said)}`);
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
      ${q.task_id && html`<a href=${`/tasks#${q.task_id}`}>task <code>${q.task_id}</code></a>`}
      ${q.chat && (q.channel === "web" && q.person === me.value?.id ? html`<a href=${`/?chat=${encodeURIComponent(q.chat)}`}>in the chat ${q.chat}</a>` : html`<span>${q.channel}, ${q.chat}</span>`)}
      <${Held} until=${open && q.held_until} />
      ${open && q.expires && html`<span>until <time datetime=${q.expires}>${moment(q.expires)}</time></span>`}
    </div>
  </article>`;
}
