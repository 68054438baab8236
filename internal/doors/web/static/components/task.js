// The card of a task.

import {display, terminal} from "../api.js";
import {money, number} from "../numbers.js";
import {about, may} from "../stores/account.js";
import {html, useLayoutEffect, useRef} from "../ui.js";
import {say} from "../words.js";
import {Decision} from "./decision.js";
import {Elapsed} from "./elapsed.js";
import {Plan} from "./plan.js";
import {stateWord} from "./state_word.js";
import {Steer} from "./steer.js";
import {TaskActions} from "./task_actions.js";
import {Text} from "./text.js";

const told = {turn: task => say("page.task.reported_to", {agent: display(task.from)}), fold: () => say("page.task.reported_in_the_chat"), notification: () => say("page.task.sent_as_a_message"), none: () => say("page.task.result_kept_here")};

export function TaskCard({id, tasks, doing, told: at, children}) {
  const task = tasks.get(id).value;
  const card = useRef();
  const held = card.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for: the card has the focus then.
    if (held && !card.current.contains(document.activeElement)) card.current.focus({preventScroll: true});
  });
  if (!task) return html`<article class="task" id=${id} data-task=${id} aria-label=${say("page.task.task", {id})} ref=${card} tabindex="-1">${say("page.task.task", {id})}</article>`;
  const over = terminal(task.state), way = told[task.way]?.(task), title = `${display(task.agent)}: ${task.title}`;
  const outcome = task.result || task.error, happened = task.result ? say("page.result") : task.state === "canceled" ? say("page.reason") : say("page.what_went_wrong");
  return html`<article class="task ${task.state}" id=${id} data-task=${id} aria-label=${title} ref=${card} tabindex="-1">
    <div class="row">
      ${may("GET /tasks/{id}") ? html`<a class="title" href=${`/tasks/${id}`} dir="auto">${title}</a>` : html`<span class="title" dir="auto">${title}</span>`}
      <${TaskActions} task=${task} changed=${() => tasks.changed(task.id)} />
    </div>
    <div class="row state">
      <${ID} id=${id} />
      <span class="state-word">${stateWord(task.state)}</span>
      ${task.model_calls ? html`<span>${say(task.model_calls === 1 ? "page.one_step" : "page.steps", {n: task.model_calls})}</span>` : null}
      <${Elapsed} from=${task.created} to=${over ? task.finished : undefined} />
      ${task.cached_tokens ? html`<span>${say("page.tokens", {n: number(task.tokens)})}, ${say("page.from_cache", {n: number(task.cached_tokens)})}</span>` : null}
      ${task.continues ? html`<span>${say("page.task.goes_on_with")} <${ID} id=${task.continues} /></span>` : null}
      ${task.late_of ? html`<span>${say("page.task.late_answer_of")} <${ID} id=${task.late_of} /></span>` : null}
      ${task.added ? html`<span>${say(task.added === 1 ? "page.task.one_message_added" : "page.task.messages_added", {n: task.added})}</span>` : null}
      ${task.cost ? html`<span>${money(task.cost)}</span>` : null}
      ${way && task.state !== "canceled" ? html`<span>${at ? html`<a href=${at}>${way}</a>` : way}</span>` : null}
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
