// What the agents of a task have decided, and each one's part in it.

import {display} from "../api.js";
import {html} from "../ui.js";
import {Text} from "./text.js";

const answers = {YES: "Decided: yes", NO: "Decided: no", TIE: "A tie", NO_QUORUM: "No quorum: neither yes nor no"};
const verdicts = {YES: "yes", NO: "no", ABSTAIN: "abstains"};
const standings = {invalid: "no verdict, not counted", late: "late, not counted", absent: "no answer"};

const partOf = ({verdict, confidence, standing}) =>
  standing === "counted" ? `${verdicts[verdict]}${confidence ? ` (${Math.round(confidence * 100)} % sure)` : ""}` : standings[standing];

const counts = {counted: "counted", invalid: "without a verdict", late: "late", absent: "without an answer"};

// tally says how many were asked, and what became of each: "3 asked: 2 counted, 1 late".
function tally({agents, verdicts = []}) {
  const parts = Object.keys(counts).map(standing => [verdicts.filter(given => given.standing === standing).length, counts[standing]]).filter(([n]) => n);
  return `${agents.length} asked: ${parts.map(([n, word]) => `${n} ${word}`).join(", ")}`;
}

export function Decision({task}) {
  return html`<div class="decision">
    <p class="answer" data-answer=${task.decision}>${answers[task.decision] ?? task.decision} <span class="policy">(${task.policy})</span></p>
    <p class="muted">${tally(task)}</p>
    <ul aria-label="Verdicts">
      ${task.verdicts?.map(given => html`<li key=${given.agent} data-standing=${given.standing}>
        <details><summary>${display(given.agent)}: ${partOf(given)}</summary><div class="result"><${Text} text=${given.reasoning || "(no report)"} /></div></details>
      </li>`)}
    </ul>
    ${task.followed_by ? html`<p>Followed by <a href=${`/tasks/${task.followed_by}`}><code>${task.followed_by}</code></a></p>` : null}
  </div>`;
}
