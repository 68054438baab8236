// Who worked when: a bar for each agent of each task of a tree, with its steps and the times when
// errand was not running.

import type * as API from "../api_types";
import {display} from "../api";
import {money, number, took} from "../numbers";
import {clock} from "../times";
import {say, type Words} from "../words";

const kinds: Words = {model: () => say("page.timeline.model"), tool: () => say("page.timeline.tool"), task: () => say("page.timeline.waits_for_another_task"),
  wait: () => say("page.timeline.waits_for_an_answer"), gap: () => say("page.timeline.not_running")};

export function Timeline({line}: {line: API.Timeline}) {
  const from = Date.parse(line.from), all = Math.max(1, Date.parse(line.to) - from);
  const at = (time?: string) => Math.min(100, Math.max(0, (Date.parse(time ?? line.to) - from) / all * 100));
  const shown = new Set([...line.rows.flatMap(row => [...(row.steps ?? []).map(step => step.kind as string), ...(row.waits?.length ? ["wait"] : [])]), ...(line.gaps.length ? ["gap"] : [])]);
  return <div class="bars">
    <ol aria-label={say("page.timeline.who_was_work_when")}>{line.rows.map(row => <Row key={`${row.task_id}/${row.agent}`} row={row} at={at} line={line} />)}</ol>
    <p class="scale"><time>{clock(line.from)}</time>
      <span class="legend" aria-hidden="true">{Object.keys(kinds).filter(kind => shown.has(kind)).map(kind => <span key={kind}><i class={`at-${kind}`}></i>{kinds[kind]?.()}</span>)}</span>
      <time>{clock(line.to)}</time></p>
  </div>;
}

function Row({row, at, line}: {row: API.TimelineRow; at: (time?: string) => number; line: API.Timeline}) {
  const waits = row.waits ?? [], order = ["task", "tool", "model"];
  // An open question is a tool call too: the wait is drawn over the call.
  const bars = [{kind: "work", begun: row.begun, ended: row.ended}, ...(row.steps ?? []).toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)),
    ...waits.map(wait => ({kind: "wait", begun: wait.from, ended: wait.to})),
    ...line.gaps.filter(gap => gap.to > row.begun && (!row.ended || gap.from < row.ended)).map(gap => ({kind: "gap", begun: gap.from, ended: gap.to}))];
  return <li class={row.state} data-level={Math.min(row.level, 4)}>
    <a class="whose" href={`/tasks/${row.task_id}`} dir="auto" title={row.title}>{display(row.agent)}</a>
    <span class="bar-of" aria-hidden="true">{bars.map(({kind, begun, ended}, i) => <i key={i} class={`at-${kind}`} style={{left: `${at(begun)}%`, width: `${Math.max(.4, at(ended) - at(begun))}%`}}></i>)}</span>
    <span class="took">{took(row.begun, row.ended ?? line.to)}{row.ended ? "" : "…"}</span>
    <span class="hidden">, {row.title}, {say("page.timeline.from", {time: clock(row.begun)})}{waits.length ? `, ${say(waits.length === 1 ? "page.timeline.waited_once_answer" : "page.timeline.waited_times_answer", {n: waits.length})}` : ""}</span>
  </li>;
}

// ModelCalls is a table of the model calls of one task, with their costs.
export function ModelCalls({line, id}: {line: API.Timeline; id: string}) {
  const rows = line.rows.filter(row => row.task_id === id), several = rows.length > 1;
  const steps = rows.flatMap(row => (row.steps ?? []).filter(step => step.kind === "model").map(step => ({...step, agent: row.agent})));
  if (!steps.length) return null;
  const priced = steps.some(step => step.cost);
  return <details class="steps"><summary>{say(steps.length === 1 ? "page.one_step" : "page.steps", {n: steps.length})}</summary>
    <div class="rows-scroll" tabindex={0} role="region" aria-label={say("page.timeline.steps")}><table class="plain-table">
      <thead><tr>{several && <th>{say("page.agent")}</th>}<th class="num">{say("page.timeline.call")}</th><th>{say("page.timeline.what")}</th><th>{say("page.began")}</th><th class="num">{say("page.took")}</th><th class="num">{say("page.tokens_used")}</th>{priced && <th class="num">{say("page.cost")}</th>}</tr></thead>
      <tbody>{steps.map((step, i) => <tr key={i}>
        {several && <td>{display(step.agent)}</td>}
        <td class="num">{step.step}</td>
        <td>{step.name || say("page.timeline.model")}{(step.attempts ?? 0) > 1 && <> <span class="muted">{say("page.timeline.attempts", {n: step.attempts})}</span></>}</td>
        <td><time datetime={step.begun}>{clock(step.begun)}</time></td>
        <td class="num">{took(step.begun, step.ended ?? line.to)}{step.ended ? "" : "…"}</td>
        <td class="num">{step.tokens ? number(step.tokens) : ""}</td>
        {priced && <td class="num">{step.cost ? money(step.cost) : ""}</td>}
      </tr>)}</tbody>
    </table></div>
  </details>;
}
