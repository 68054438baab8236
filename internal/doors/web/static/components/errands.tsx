// The errands of one answer: a card with one line each, of which one at a time is open.

import {terminal} from "../api";
import type {Conversation} from "../stores/conversation";
import {isUnder, led} from "../stores/errands";
import {useState} from "../ui";
import {language, say} from "../words";
import {TaskLine} from "./task";

export function Errands({ids, conversation}: {ids: string[]; conversation: Conversation}) {
  const [chosen, choose] = useState<{id: string; led: string} | null>(null);
  const here = isUnder(led.value, ids, conversation), tasks = ids.map(id => conversation.tasks.get(id).value);
  // The line that a person has chosen is open until a link leads to another of this card. By
  // itself only the line of a single errand is open, and only while it is at work.
  const [only] = tasks, alone = tasks.length === 1 && only && !terminal(only.state) ? only.id : "";
  const open = chosen && (chosen.led === led.value || !here) ? chosen.id : here ? led.value : alone;
  const over = tasks.every(task => task && terminal(task.state));
  return <div class={`errands${over && !open ? " over" : ""}`} role="group" lang={language} aria-label={say("page.errands.errands_of_this_answer")}>
    {ids.map(id => <TaskLine key={id} id={id} conversation={conversation} open={open} choose={id => choose({id, led: led.value})} />)}
  </div>;
}
