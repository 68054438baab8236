// The card of a question on the lists.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {announce} from "../stores/announcer";
import {me} from "../stores/account";
import type {Given, Questions} from "../stores/questions";
import {say, sayWith, type Values, type Words} from "../words";
import {Approval} from "./approval";
import {Age} from "./age";
import {AnswerForm} from "./answer_form";
import {Initials} from "./initials";
import {place} from "./platform";
import {QuestionEnd} from "./question_end";
import {textOf} from "./schema_field";
import {Text} from "./text";
import {WaitsFor} from "./waits_for";

const asks: Words<[Values]> = {question: v => say("page.question_card.asks", v), approval: v => say("page.question_card.asks_for_your_approval", v), proposal: v => say("page.question_card.proposes", v)};
const asksOther: Words<[Values]> = {question: v => say("page.question_card.asks_name", v), approval: v => say("page.question_card.asks_approval", v), proposal: v => say("page.question_card.proposes_to", v)};

type Called = (id: string) => string;

// headOf says who asks whom.
function headOf(q: API.QuestionView, called: Called) {
  const mine = q.kind === "approval" ? q.may_answer : q.person === me.value?.id, kinds = mine ? asks : asksOther;
  return (kinds[q.kind] ?? kinds.question)?.({agent: display(q.agent), name: mine ? "" : called(q.person)});
}

export function QuestionCard({id, questions, called}: {id: string; questions: Questions; called: Called}) {
  const q = questions.get(id).value;
  if (!q) return null;
  const head = headOf(q, called), open = q.state === "open";
  const barred = q.approval && me.value?.approves_nothing, asked = open && q.may_answer;
  const answer = async (given: Given) => {
    const {agent, state, schema, answer: said = ""} = await questions.answer(q.id, given);
    announce(state === "declined" ? say("question.declined", {agent: display(agent)}) : say("question.passed_on", {agent: display(agent), answer: textOf(schema, said)}));
  };
  return <article class={`card question-card ${q.state}`} data-question-card={q.id} tabindex={-1} aria-label={`${head}: ${q.text.slice(0, 120)}`}>
    <div class="row"><Initials name={q.agent} /><span class="title" dir="auto">{head}</span>
      <span class="when muted"><time datetime={q.created}>{moment(q.created)}</time>{open && <> (<Age from={q.created} />)</>}</span></div>
    <div class="asked-text"><Text text={q.text} /></div>
    {asked ? <AnswerForm question={q} answer={answer} /> : null}
    {open && !asked && <Approval approval={q.approval} />}
    {open && barred ? <p class="muted" dir="auto">{barred}</p> : <WaitsFor question={q} />}
    <QuestionEnd question={q} called={called} />
    <div class="row muted">
      {q.task_id && <a href={`/tasks/${q.task_id}`}>{say("page.question_card.task")}</a>}
      {q.chat && (q.channel === "web" && q.person === me.value?.id ? <a href={`/?chat=${encodeURIComponent(q.chat)}`}>{say("page.question_card.in_the_chat")}</a> : <span>{place(q.channel ?? "", q.chat)}</span>)}
      {open && q.expires && <span>{sayWith("page.until", {time: <time datetime={q.expires}>{moment(q.expires)}</time>})}</span>}
    </div>
  </article>;
}
