// The states of tasks and deliveries in words.

import {say, type Words} from "../words";
import {Icon, type IconName} from "./icon";

const words: Words = {
  open: () => say("page.state_word.open"), submitted: () => say("state.submitted"), working: () => say("state.working"), input_required: () => say("state.input_required"),
  completed: () => say("state.completed"), failed: () => say("state.failed"), canceled: () => say("state.canceled"), rejected: () => say("state.rejected"),
  pending: () => say("page.state_word.to_be_sent"), sending: () => say("page.state_word.being_sent"), sent: () => say("page.state_word.sent"), unknown: () => say("page.state_word.not_known_whether_arrived"),
  blocked: () => say("page.state_word.not_delivered"), dismissed: () => say("page.state_word.given_up"),
};

export const stateWord = (state: string) => words[state]?.() ?? state;

const icons: Partial<Record<string, IconName>> = {
  submitted: "circleDashed", input_required: "question", completed: "check", failed: "circleX", canceled: "ban", rejected: "circleX",
  pending: "clock", sent: "check", unknown: "question", blocked: "circleX", dismissed: "ban",
};

// State shows a state with its icon, for scanning a list.
export function State({state}: {state: string}) {
  const icon = icons[state];
  return <span class="state-mark" data-state={state}>{icon ? <Icon name={icon} /> : <span class="spin" />}<span class="state-word">{stateWord(state)}</span></span>;
}
