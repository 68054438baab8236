// What the agents of a task have decided, and each one's part in it.

import type * as API from "../api_types";
import {display} from "../api";
import {Text} from "./text";
import {say, type Words} from "../words";

const answers: Words = {YES: () => say("page.decision.decided_yes"), NO: () => say("page.decision.decided_no"), TIE: () => say("page.decision.a_tie"), NO_QUORUM: () => say("page.decision.no_quorum_neither_yes")};
const verdicts: Words = {YES: () => say("page.yes"), NO: () => say("page.no"), ABSTAIN: () => say("page.decision.abstains")};
const standings: Words = {invalid: () => say("page.decision.no_verdict_not_counted"), late: () => say("page.decision.late_not_counted"), absent: () => say("page.decision.no_answer")};

const partOf = ({verdict, confidence, standing}: API.GivenVerdict) =>
  standing === "counted" ? `${verdicts[verdict ?? ""]?.()}${confidence ? ` ${say("page.decision.sure", {n: Math.round(confidence * 100)})}` : ""}` : standings[standing]?.();

const counts: Words<[number]> = {counted: n => say("page.decision.counted", {n}), invalid: n => say("page.decision.without_a_verdict", {n}), late: n => say("page.decision.late", {n}), absent: n => say("page.decision.without_an_answer", {n})};

// tally says how many were asked, and what became of each: "3 asked: 2 counted, 1 late".
function tally({agents, verdicts = []}: API.Task) {
  const parts = Object.keys(counts).map((standing): [number, string] => [verdicts.filter(given => given.standing === standing).length, standing]).filter(([n]) => n);
  return `${say("page.decision.asked", {n: agents.length})}: ${parts.map(([n, standing]) => counts[standing]?.(n)).join(", ")}`;
}

export function Decision({task}: {task: API.Task}) {
  return <div class="decision">
    <p class="answer" data-answer={task.decision}>{answers[task.decision ?? ""]?.() ?? task.decision} <span class="policy">({task.policy})</span></p>
    <p class="muted">{tally(task)}</p>
    <ul aria-label={say("page.decision.verdicts")}>
      {task.verdicts?.map(given => <li key={given.agent} data-standing={given.standing}>
        <details><summary>{display(given.agent)}: {partOf(given)}</summary><div class="result"><Text text={given.reasoning || say("outcome.no_report")} /></div></details>
      </li>)}
    </ul>
    {task.followed_by ? <p>{say("page.followed_by")} <a href={`/tasks/${task.followed_by}`}><code>{task.followed_by}</code></a></p> : null}
  </div>;
}
