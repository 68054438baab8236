// Who was at work when: a bar for each agent of each task of a tree.

import {ask, display, elapsed} from "../api.js";
import {html, useEffect, useState} from "../ui.js";

const wide = 1000; // the bars are drawn on so many units, however wide they are

const clock = text => new Date(text).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});

export function Timeline({id, board}) {
  const [line, setLine] = useState(null), [wrong, setWrong] = useState("");
  const person = board.filters.value.person, looked = board.looked.value;
  useEffect(() => {
    let gone = false;
    ask(`/api/tasks/${id}/timeline${person ? `?${new URLSearchParams({person})}` : ""}`).then(
      found => { if (!gone) { setLine(found); setWrong(""); } }, error => { if (!gone) setWrong(error.message); });
    return () => { gone = true; };
  }, [id, person, looked]);
  if (wrong) return html`<p class="said">${wrong}</p>`;
  if (!line) return html`<p class="muted">…</p>`;
  const from = new Date(line.from), all = Math.max(1, new Date(line.to) - from);
  const at = time => Math.min(wide, Math.max(0, (new Date(time ?? line.to) - from) / all * wide));
  return html`<div class="timeline">
    <ol aria-label="Who was at work when">${line.rows.map(row => html`<${Row} key=${`${row.task_id}/${row.agent}`} row=${row} at=${at} to=${line.to} />`)}</ol>
    <p class="muted scale"><span>${clock(line.from)}</span><span>${elapsed(from, new Date(line.to))}</span><span>${clock(line.to)}</span></p>
  </div>`;
}

function Row({row, at, to}) {
  const begun = at(row.begun), took = elapsed(new Date(row.begun), new Date(row.ended ?? to));
  const waits = (row.waits ?? []).map(wait => [at(wait.from), at(wait.to)]);
  return html`<li class=${row.state} data-level=${Math.min(row.level, 4)}>
    <span class="whose" dir="auto" title=${row.title}>${display(row.agent)}</span>
    <svg viewBox="0 0 ${wide} 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="work" x=${begun} y="0" width=${Math.max(3, at(row.ended) - begun)} height="10" />
      ${waits.map(([a, b], i) => html`<rect key=${i} class="wait" x=${a} y="2" width=${Math.max(3, b - a)} height="6" />`)}
    </svg>
    <span class="took">${took}${row.ended ? "" : "…"}</span>
    <span class="hidden">, ${row.title}, from ${clock(row.begun)}${waits.length ? `, waited ${waits.length === 1 ? "once" : `${waits.length} times`} for an answer` : ""}</span>
  </li>`;
}
