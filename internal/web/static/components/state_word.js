// The states of tasks and deliveries in words.

import {html} from "../ui.js";
import {say} from "../words.js";

const words = {
  open: () => say("open"), submitted: () => say("submitted"), working: () => say("working"), input_required: () => say("waits for an answer"),
  completed: () => say("completed"), failed: () => say("failed"), canceled: () => say("canceled"), rejected: () => say("rejected"),
  pending: () => say("to be sent"), sending: () => say("being sent"), sent: () => say("sent"), unknown: () => say("not known whether it arrived"),
  blocked: () => say("not delivered"), dismissed: () => say("given up"),
};

export const stateWord = state => words[state]?.() ?? state;

// The word says it; the mark is for who looks down a list.
export function State({state}) {
  return html`<span class="state-mark" data-state=${state}><span class="state-word">${stateWord(state)}</span></span>`;
}
