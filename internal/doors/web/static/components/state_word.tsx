// The states of tasks and deliveries in words.

import type * as API from "../api_types";
import {say, type Words} from "../words";
import {Icon, type IconName} from "./icon";
import {either} from "./waits_for";

const words: Words = {
  open: () => say("page.state_word.open"), submitted: () => say("page.task.queued"), working: () => say("page.task.at_work"), input_required: () => say("page.state_word.waiting"),
  completed: () => say("page.state_word.done"), failed: () => say("state.failed"), canceled: () => say("state.canceled"), rejected: () => say("page.state_word.declined"),
  pending: () => say("page.state_word.to_be_sent"), sending: () => say("page.state_word.being_sent"), sent: () => say("page.state_word.sent"), unknown: () => say("page.state_word.not_known_whether_arrived"),
  blocked: () => say("page.state_word.not_delivered"), dismissed: () => say("page.state_word.given_up"),
};

export const stateWord = (state: string) => words[state]?.() ?? state;

const icons: Partial<Record<string, IconName>> = {
  submitted: "circleDashed", input_required: "question", completed: "check", failed: "circleX", canceled: "ban", rejected: "circleX",
  pending: "clock", sent: "check", unknown: "question", blocked: "circleX", dismissed: "ban", NO: "x", TIE: "ban", NO_QUORUM: "ban",
};

// State shows a state with its icon, for scanning a list.
export function State({state, word = stateWord(state), icon = icons[state]}: {state: string; word?: string; icon?: IconName}) {
  return <span class="state-mark" data-state={state}>{icon ? <Icon name={icon} /> : <span class="spin" />}<span class="state-word">{word}</span></span>;
}

// TaskState shows the state of a task, its decision, or who has to answer its question. If this person
// has to answer, it links to the page of the task.
export function TaskState({task, question: q}: {task: API.Task; question?: API.QuestionView}) {
  if (task.decision) return <State state={task.state} word={decided(task)} icon={icons[task.decision]} />;
  if (task.state !== "input_required" || !q) return <State state={task.state} />;
  if (!q.may_answer && !q.deciders?.length) return <State state="waits_for_others" word={stateWord(task.state)} icon="question" />;
  if (!q.may_answer) return <State state="waits_for_others" word={say("page.task.waits_for", {names: either(q.deciders)})} icon="question" />;
  return <a class="to-question" href={`/tasks/${task.id}`}><State state={task.state} word={say("page.task.waits_for_you")} /></a>;
}

// decided returns the decision with the number of votes.
function decided({decision, agents, verdicts = []}: API.Task) {
  const counted = verdicts.filter(given => given.standing === "counted"), votes = (answer: string) => counted.filter(given => given.verdict === answer).length;
  const all = agents.length;
  if (decision === "YES") return say("page.state_word.decided_yes", {n: votes("YES"), all});
  if (decision === "NO") return say("page.state_word.decided_no", {n: votes("NO"), all});
  return say("page.state_word.undecided", {n: counted.length, all});
}
