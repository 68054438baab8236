// Who was at work when: a bar for each agent of each task of a tree, and in it what it did.

import type * as API from "../api_types";
import {display, elapsed} from "../api";
import {money, number, took} from "../numbers";
import {say, type Words} from "../words";

const wide = 1000; // the bars are drawn on so many units, however wide they are

const clock = (text: string) => new Date(text).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});

const kinds: Words = {model: () => say("page.timeline.model"), tool: () => say("page.timeline.tool"), task: () => say("page.timeline.waits_for_another_task"), wait: () => say("state.input_required")};

export function Timeline({line}: {line: API.Timeline}) {
  const from = Date.parse(line.from), all = Math.max(1, Date.parse(line.to) - from);
  const at = (time?: string) => Math.min(wide, Math.max(0, (Date.parse(time ?? line.to) - from) / all * wide));
  const shown = new Set(line.rows.flatMap(row => [...(row.steps ?? []).map(step => step.kind), ...(row.waits?.length ? ["wait"] : [])]));
  return <div class="timeline">
    <ol aria-label={say("page.timeline.who_was_work_when")}>{line.rows.map(row => <Row key={`${row.task_id}/${row.agent}`} row={row} at={at} to={line.to} />)}</ol>
    <p class="muted scale"><span>{clock(line.from)}</span><span class="all">{elapsed(from, Date.parse(line.to))}</span><span>{clock(line.to)}</span></p>
    {shown.size > 0 && <p class="legend muted" aria-hidden="true">{Object.keys(kinds).filter(kind => shown.has(kind)).map(kind => <span key={kind}><i class={`at-${kind}`}></i>{kinds[kind]?.()}</span>)}</p>}
  </div>;
}

function Row({row, at, to}: {row: API.TimelineRow; at: (time?: string) => number; to: string}) {
  const begun = at(row.begun), waits = (row.waits ?? []).map(wait => [at(wait.from), at(wait.to)]);
  // What waits for an answer is a call of a tool too: the wait is drawn, and not the call.
  const steps = row.steps ?? [], order = ["task", "tool", "model"];
  const bar = (a: number, b: number) => ({x: a, width: Math.max(3, b - a)});
  return <li class={row.state} data-level={Math.min(row.level, 4)}>
    <a class="whose" href={`/tasks/${row.task_id}`} dir="auto" title={row.title}>{display(row.agent)}</a>
    <svg viewBox={`0 0 ${wide} 12`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="work" {...bar(begun, at(row.ended))} y="0" height="12" />
      {steps.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).map((step, i) => <rect key={i} class={`at-${step.kind}`} {...bar(at(step.begun), at(step.ended))} y="2" height="8" />)}
      {waits.map(([a, b], i) => <rect key={`wait-${i}`} class="at-wait" {...bar(a, b)} y="2" height="8" />)}
    </svg>
    <span class="took">{took(row.begun, row.ended ?? to)}{row.ended ? "" : "…"}</span>
    <span class="hidden">, {row.title}, {say("page.timeline.from", {time: clock(row.begun)})}{waits.length ? `, ${say(waits.length === 1 ? "page.timeline.waited_once_answer" : "page.timeline.waited_times_answer", {n: waits.length})}` : ""}</span>
  </li>;
}

// Steps are those of one task as a table: what the bars show, in words and numbers.
export function Steps({line, id}: {line: API.Timeline; id: string}) {
  const rows = line.rows.filter(row => row.task_id === id), several = rows.length > 1;
  const steps = rows.flatMap(row => (row.steps ?? []).map(step => ({...step, agent: row.agent})));
  if (!steps.length) return null;
  const priced = steps.some(step => step.cost);
  return <details class="steps"><summary>{say(steps.length === 1 ? "page.one_step" : "page.steps", {n: steps.length})}</summary>
    <div class="rows-scroll" tabindex={0} role="region" aria-label={say("page.timeline.steps")}><table class="plain-table">
      <thead><tr>{several && <th>{say("page.agent")}</th>}<th class="num">{say("page.timeline.call")}</th><th>{say("page.timeline.what")}</th><th>{say("page.began")}</th><th class="num">{say("page.took")}</th><th class="num">{say("page.tokens_used")}</th>{priced && <th class="num">{say("page.cost")}</th>}</tr></thead>
      <tbody>{steps.map((step, i) => <tr key={i} data-kind={step.kind}>
        {several && <td>{display(step.agent)}</td>}
        <td class="num">{step.kind === "model" ? step.step : ""}</td>
        <td class="called"><span class="kind" aria-hidden="true"><i class={`at-${step.kind}`}></i></span>{step.kind === "model" ? step.name || say("page.timeline.model") : <code>{step.name}</code>}
          {step.task_id && <> <a href={`/tasks/${step.task_id}`}><code>{step.task_id}</code></a></>}
          {(step.attempts ?? 0) > 1 && <> <span class="muted">{say("page.timeline.attempts", {n: step.attempts})}</span></>}</td>
        <td><time datetime={step.begun}>{clock(step.begun)}</time></td>
        <td class="num">{took(step.begun, step.ended ?? line.to)}{step.ended ? "" : "…"}</td>
        <td class="num">{step.tokens ? number(step.tokens) : ""}</td>
        {priced && <td class="num">{step.cost ? money(step.cost) : ""}</td>}
      </tr>)}</tbody>
    </table></div>
  </details>;
}
