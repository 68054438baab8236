// What of a chat waits for the person's answer, with a way to where it was asked.

import type * as API from "../api_types";
import {display} from "../api";
import type {Conversation} from "../stores/conversation";
import {say} from "../words";

// toQuestion leads to the question in the chat. A question that was asked before what is shown
// there is on the page of questions, to which the link leads. leave closes what is before the chat.
export function toQuestion({id, task_id: task}: API.QuestionView, click: Event, leave?: () => void) {
  const form = document.querySelector(`#log [data-question="${CSS.escape(id)}"]`) ?? (task ? null : document.querySelector("#log .choices"));
  if (!form) return;
  click.preventDefault();
  leave?.();
  form.scrollIntoView({block: "center"});
  form.querySelector<HTMLElement>("button, input, select, textarea")?.focus({preventScroll: true});
}

export function Waiting({conversation}: {conversation: Conversation}) {
  const list = conversation.waiting.value;
  if (!list.length) return null;
  const [first] = list, agents = [...new Set(list.map(q => display(q.agent)))].join(", ");
  return <p id="waiting"><a href="/questions" onClick={event => toQuestion(first, event)}>{list.length === 1 ? say("page.waiting.waits_for_your_answer", {agents}) : say("page.waiting.questions_wait_your_answer", {n: list.length, agents})}</a></p>;
}
