// The tasks page: what was delegated to whom, and deliveries that a person has to decide
// about. /tasks/t-… is the page of one task.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Deliveries} from "./components/deliveries.js";
import {Header} from "./components/header.js";
import {TaskBulk} from "./components/task_bulk.js";
import {TaskFilters} from "./components/task_filters.js";
import {TaskRows} from "./components/task_rows.js";
import {may} from "./stores/account.js";
import {Board} from "./stores/board.js";
import {watch} from "./stores/changes.js";
import {html, render, signal} from "./ui.js";
import {say} from "./words.js";

const board = new Board();
const outbox = signal(null); // null: not for this person

const refresh = watch(async changed => {
  if (changed.has("tasks")) await board.load();
  else if (changed.has("questions")) await board.ask();
  if (changed.has("deliveries") && may("GET /api/outbox")) outbox.value = await ask("/api/outbox?state=blocked&state=unknown&state=pending&state=sending");
}, () => board.filters.value.person);

board.others(refresh);

function TasksPage() {
  const tops = board.tops.value, read = board.read.value;
  return html`
    <${Header} />
    <main class="page dashboard">
      <h2>${say("page.tasks")}</h2>
      <${TaskFilters} board=${board} />
      ${tops.length > 0 && html`<${TaskRows} board=${board} />`}
      ${read && !tops.length && html`<p id="none" class="muted">${board.filtered ? say("page.nothing_was_found") : say("page.tasks.no_tasks_yet_ask")}</p>`}
      ${board.more.value && html`<p><button id="more" type="button" class="small" onClick=${() => board.older()}>${say("page.tasks.older_ones")}</button></p>`}
      <${TaskBulk} board=${board} />
      ${outbox.value && html`<${Deliveries} list=${outbox.value} refresh=${refresh} />`}
    </main>
    <${Announcer} />`;
}

render(html`<${TasksPage} />`, document.body);
