// What the agents of a task have decided, and each one's part in it.

import {display} from "../api.js";
import {html} from "../ui.js";
import {Text} from "./text.js";
import {say} from "../words.js";

const answers = {YES: () => say("Decided: yes"), NO: () => say("Decided: no"), TIE: () => say("A tie"), NO_QUORUM: () => say("No quorum: neither yes nor no")};
const verdicts = {YES: () => say("yes"), NO: () => say("no"), ABSTAIN: () => say("abstains")};
const standings = {invalid: () => say("no verdict, not counted"), late: () => say("late, not counted"), absent: () => say("no answer")};

const partOf = ({verdict, confidence, standing}) =>
  standing === "counted" ? `${verdicts[verdict]()}${confidence ? ` ${say("({n} % sure)", {n: Math.round(confidence * 100)})}` : ""}` : standings[standing]?.();

const counts = {counted: n => say("{n} counted", {n}), invalid: n => say("{n} without a verdict", {n}), late: n => say("{n} late", {n}), absent: n => say("{n} without an answer", {n})};

// tally says how many were asked, and what became of each: "3 asked: 2 counted, 1 late".
function tally({agents, verdicts = []}) {
  const parts = Object.keys(counts).map(standing => [verdicts.filter(given => given.standing === standing).length, standing]).filter(([n]) => n);
  return `${say("{n} asked", {n: agents.length})}: ${parts.map(([n, standing]) => counts[standing](n)).join(", ")}`;
}

export function Decision({task}) {
  return html`<div class="decision">
    <p class="answer" data-answer=${task.decision}>${answers[task.decision]?.() ?? task.decision} <span class="policy">(${task.policy})</span></p>
    <p class="muted">${tally(task)}</p>
    <ul aria-label=${say("Verdicts")}>
      ${task.verdicts?.map(given => html`<li key=${given.agent} data-standing=${given.standing}>
        <details><summary>${display(given.agent)}: ${partOf(given)}</summary><div class="result"><${Text} text=${given.reasoning || say("(no report)")} /></div></details>
      </li>`)}
    </ul>
    ${task.followed_by ? html`<p>${say("Followed by")} <a href=${`/tasks/${task.followed_by}`}><code>${task.followed_by}</code></a></p>` : null}
  </div>`;
}
