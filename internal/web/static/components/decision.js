// What the agents of a task have decided, and each one's part in it.

import {display} from "../api.js";
import {html} from "../ui.js";

const answers = {YES: "Decided: yes", NO: "Decided: no", TIE: "A tie", NO_QUORUM: "No quorum: neither yes nor no"};
const verdicts = {YES: "yes", NO: "no", ABSTAIN: "abstains"};
const standings = {invalid: "no verdict, not counted", late: "late, not counted", absent: "no answer"};

const partOf = ({verdict, confidence, standing}) =>
  standing === "counted" ? `${verdicts[verdict]}${confidence ? ` (${Math.round(confidence * 100)} % sure)` : ""}` : standings[standing];

export function Decision({task}) {
  return html`<div class="decision">
    <p class="answer" data-answer=${task.decision}>${answers[task.decision] ?? task.decision} <span class="policy">(${task.policy})</span></p>
    <ul aria-label="Verdicts">
      ${task.verdicts?.map(given => html`<li key=${given.agent} data-standing=${given.standing}>
        <details><summary>${display(given.agent)}: ${partOf(given)}</summary><p class="result" dir="auto">${given.reasoning || "(no report)"}</p></details>
      </li>`)}
    </ul>
    ${task.followed_by ? html`<p>Followed by <code>${task.followed_by}</code></p>` : null}
  </div>`;
}
