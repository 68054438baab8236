// A chart with a column for each day. Who cannot see it has the table below it.

import type * as API from "../api_types";
import {language} from "../words";

const wide = 1000, high = 160;

export const dayOf = (key: string) => new Date(`${key}T00:00Z`).toLocaleDateString(language.value, {day: "numeric", month: "short", timeZone: "UTC"});

export function Columns({rows, value, amount}: {rows: API.UsageGroup[]; value: (row: API.UsageGroup) => number; amount: (n: number) => string}) {
  const most = Math.max(...rows.map(value), Number.MIN_VALUE), step = wide / rows.length, gap = Math.min(6, step * .2);
  return <figure class="columns" aria-hidden="true">
    <div class="most muted"><span>{amount(most)}</span></div>
    <svg viewBox={`0 0 ${wide} ${high}`} preserveAspectRatio="none">
      {[0, .5].map(part => <line key={part} class="grid" x1="0" x2={wide} y1={high * part + .5} y2={high * part + .5} />)}
      {rows.map((row, i) => <g key={row.key}>
        <title>{dayOf(row.key)}: {amount(value(row))}</title>
        <rect class="hit" x={i * step} y="0" width={step} height={high} />
        <rect class="bar-fill" x={i * step + gap / 2} y={high - Math.max(value(row) ? 2 : 0, value(row) / most * high)} width={step - gap} height={Math.max(value(row) ? 2 : 0, value(row) / most * high)} />
      </g>)}
      <line class="base" x1="0" x2={wide} y1={high - .5} y2={high - .5} />
    </svg>
    <figcaption class="muted scale-days"><span>{dayOf(rows[0].key)}</span>{rows.length > 2 && <span>{dayOf(rows[Math.floor(rows.length / 2)].key)}</span>}<span>{dayOf(rows[rows.length - 1].key)}</span></figcaption>
  </figure>;
}
