// The errands of a chat: which of them make one card, and what they wait for.

import type * as API from "../api_types";
import {terminal} from "../api";
import {dayOf} from "../times";
import {signal} from "../ui";
import type {Conversation, Entry} from "./conversation";

// led is the id behind the #: of the errand or the message that a link has led to.
export const led = signal(location.hash.slice(1));
window.addEventListener("hashchange", () => { led.value = location.hash.slice(1); });

// leadTo opens the line of a task in the chat, and reports whether it is shown there. leave closes
// what is before the chat.
export function leadTo(id: string, conversation: Conversation, leave: () => void) {
  if (!conversation.reveal(entry => entry.id === id)) return false;
  leave();
  history.replaceState(null, "", `${location.pathname}${location.search}`); // it may have led there before
  location.hash = id;
  return true;
}

// isTop holds for the entry of a task that no other task of the chat has delegated.
const isTop = (entry: Entry, conversation: Conversation) => entry.kind === "task" && entry.id && !conversation.isBelow(entry.id);

// cardAt returns the tasks of the card that begins at an entry: those of one answer, which come
// one after another. It returns none if the entry's task is in a card that began before it.
export function cardAt(entries: Entry[], at: number, conversation: Conversation) {
  const first = entries[at], ids: string[] = [];
  const joins = (entry: Entry) => entry.kind === "task" && dayOf(entry.at) === dayOf(first.at);
  if (!isTop(first, conversation)) return ids;
  for (let i = at - 1; i >= 0 && joins(entries[i]); i--) if (isTop(entries[i], conversation)) return ids;
  for (let i = at; i < entries.length && joins(entries[i]); i++) if (isTop(entries[i], conversation)) ids.push(entries[i].id ?? "");
  return ids;
}

// isQuestion holds for the question of an errand. It may come between the errand and the answer that delegated it.
const isQuestion = (entry: Entry) => entry.task && entry.question;

// delegatedFor returns the tasks that an answer delegated: those since the message before it, or what another turn said.
export function delegatedFor(entries: Entry[], at: number, conversation: Conversation) {
  const ids: string[] = [], turn = entries[at].turnNumber;
  const isBetween = (entry: Entry) => (entry.turnNumber ?? turn) === turn && (isQuestion(entry) || ["task", "notice", "file"].includes(entry.kind));
  if (!turn) return ids;
  for (let i = at - 1; i >= 0 && isBetween(entries[i]); i--) if (isTop(entries[i], conversation)) ids.unshift(entries[i].id ?? "");
  return ids;
}

// inOrder returns the indexes of the entries in the order of the page. A card is above the answer that
// waited for its errands, and below an answer that was written while they were at work.
export function inOrder(entries: Entry[], {tasks}: Conversation) {
  const order: number[] = [];
  let card = 0; // number of tasks and their questions since the last other entry
  for (const [i, entry] of entries.entries()) {
    const {kind, turnNumber, live, at} = entry;
    const answer = kind !== "notice" && (turnNumber || live), until = at ? new Date(at).getTime() : Infinity;
    const wasAtWork = (place: number) => {
      const {id} = entries[place], task = id ? tasks.get(id).value : null;
      return task && !(terminal(task.state) && Date.parse(task.finished ?? "") <= until);
    };
    order.splice(answer && order.slice(i - card).some(wasAtWork) ? i - card : i, 0, i);
    card = kind === "task" || isQuestion(entry) ? card + 1 : 0;
  }
  return order;
}

// isUnder reports whether a task is one of a card or was delegated by one of it.
export function isUnder(id: string, card: string[], conversation: Conversation) {
  for (let at: string | undefined = id; at; at = conversation.tasks.get(at).value?.parent) if (card.includes(at)) return true;
  return false;
}

// questionOf returns the open question of a task.
export const questionOf = (task: API.Task, {questions}: Conversation) =>
  questions.open.value.map(id => questions.get(id).value).find(q => q?.task_id === task.id && q.state === "open") ?? undefined;
