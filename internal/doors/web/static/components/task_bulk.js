// What is done with several tasks at once.

import {terminal} from "../api.js";
import {may} from "../stores/account.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

export function TaskBulk({board}) {
  const picked = [...board.picked.value].map(id => board.get(id).value).filter(Boolean), failed = board.refused.value;
  const open = picked.filter(task => !terminal(task.state)), again = picked.filter(task => terminal(task.state) && task.state !== "completed");
  if (!picked.length && !failed.length) return null;
  return html`<section id="bulk" aria-label=${say("page.task_bulk.selected_tasks")}>
    <span>${say("page.task_bulk.selected", {n: picked.length})}</span>
    ${open.length > 0 && may("POST /api/tasks/cancel") && html`<${Act} key="cancel" label=${say("page.task_bulk.cancel", {n: open.length})} run=${() => board.bulk("cancel", open)} />`}
    ${again.length > 0 && may("POST /api/tasks/retry") && html`<${Act} key="retry" label=${say("page.task_bulk.retry", {n: again.length})} run=${() => board.bulk("retry", again)} />`}
    <button class="small" type="button" onClick=${() => board.unpick()}>${say("page.task_bulk.clear_selection")}</button>
    ${failed.length > 0 && html`<ul class="plain said">${failed.map(({id, error}) => html`<li key=${id}><code>${id}</code> ${error.message}</li>`)}</ul>`}
  </section>`;
}
