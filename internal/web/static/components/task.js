// The card of a task.

import {ask, display, terminal} from "../api.js";
import {about, may} from "../stores/account.js";
import {html, useLayoutEffect, useRef} from "../ui.js";
import {Act} from "./act.js";
import {Decision} from "./decision.js";
import {Elapsed} from "./elapsed.js";
import {Held} from "./held.js";
import {Plan} from "./plan.js";
import {Steer} from "./steer.js";
import {Text} from "./text.js";

const told = {turn: "told at once", fold: "told in the chat", notification: "told as a notification", none: "kept here: nobody to tell"};

const states = {input_required: "waits for an answer"};

export function TaskCard({id, tasks, doing, told: at, children}) {
  const task = tasks.get(id).value;
  const card = useRef();
  const held = card.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for: the card has the focus then.
    if (held && !card.current.contains(document.activeElement)) card.current.focus({preventScroll: true});
  });
  if (!task) return html`<article class="task" id=${id} data-task=${id} aria-label=${`Task ${id}`} ref=${card} tabindex="-1">Task ${id}</article>`;
  const over = terminal(task.state), title = `${display(task.agent)}: ${task.title}`;
  const act = (label, verb) => html`<${Act} key=${verb} label=${label} describe=${`${label} ${task.title}`} run=${async () => {
    await ask(`/api/tasks/${task.id}/${verb}`, {});
    tasks.changed(task.id);
  }} />`;
  const outcome = task.result || task.error, happened = task.result ? "Result" : task.state === "canceled" ? "Reason" : "What went wrong";
  return html`<article class="task ${task.state}" id=${id} data-task=${id} aria-label=${title} ref=${card} tabindex="-1">
    <div class="row">
      ${may("GET /tasks/{id}") ? html`<a class="title" href=${`/tasks/${id}`} dir="auto">${title}</a>` : html`<span class="title" dir="auto">${title}</span>`}
      ${!over ? act("Cancel", "cancel") : task.state === "completed" ? null : act("Retry", "retry")}
    </div>
    <div class="row state">
      <${ID} id=${id} />
      <span class="state-word">${states[task.state] ?? task.state}</span>
      <span>${task.model_calls === 1 ? "1 step" : `${task.model_calls} steps`}</span>
      <${Elapsed} from=${task.created} to=${over ? task.finished : undefined} />
      ${task.cached_tokens ? html`<span>${task.tokens.toLocaleString()} tokens, ${task.cached_tokens.toLocaleString()} from cache</span>` : null}
      ${task.continues ? html`<span>goes on with <${ID} id=${task.continues} /></span>` : null}
      ${task.late_of ? html`<span>late ${task.late} of <${ID} id=${task.late_of} /></span>` : null}
      ${task.added ? html`<span>${task.added === 1 ? "1 message added" : `${task.added} messages added`}</span>` : null}
      ${task.cost ? html`<span>${task.cost.toFixed(4)} USD</span>` : null}
      ${told[task.way] && task.state !== "canceled" ? html`<span>${at ? html`<a href=${at}>${told[task.way]}</a>` : told[task.way]}</span>` : null}
      <${Held} until=${over && !task.way && task.held_until} />
      ${task.trouble && !doing?.includes(task.trouble) ? html`<span class="trouble">${task.trouble}</span>` : null}
      ${!over && doing && task.state !== "input_required" ? html`<span>${doing}</span>` : null}
    </div>
    ${task.plans?.map(plan => html`<${Plan} key=${plan.agent} plan=${plan} named=${task.plans.length > 1} over=${over} />`)}
    ${task.decision ? html`<${Decision} task=${task} />` : null}
    ${!task.decision && outcome ? html`<details><summary>${happened}</summary><div class="result"><${Text} text=${outcome} /></div></details>` : null}
    ${children}
    ${may("POST /api/tasks/{id}/steer") ? html`<${Steer} task=${task} over=${over} tasks=${tasks} />` : null}
  </article>`;
}

function ID({id}) {
  const ui = about.value.web_ui;
  return ui ? html`<a href=${`${ui}/namespaces/default/workflows/${id}`} target="_blank" rel="noopener"><code>${id}</code></a>` : html`<code>${id}</code>`;
}
