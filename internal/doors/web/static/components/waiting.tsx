// What of a chat waits for the person's answer, with a way to where it was asked.

import {display} from "../api";
import type {Conversation} from "../stores/conversation";
import {say} from "../words";

export function Waiting({conversation}: {conversation: Conversation}) {
  const list = conversation.waiting.value;
  if (!list.length) return null;
  const [first] = list, agents = [...new Set(list.map(q => display(q.agent)))].join(", ");
  const go = (event: Event) => {
    const form = document.querySelector(`#log [data-question="${CSS.escape(first.id)}"]`);
    if (!form) return; // it was asked before what is shown: the link leads to the list
    event.preventDefault();
    form.scrollIntoView({block: "center"});
    form.querySelector<HTMLElement>("button, input, select, textarea")?.focus({preventScroll: true});
  };
  return <p id="waiting"><a href="/questions" onClick={go}>{list.length === 1 ? say("page.waiting.waits_for_your_answer", {agents}) : say("page.waiting.questions_wait_your_answer", {n: list.length, agents})}</a></p>;
}
