// The tasks page: what was delegated to whom, and deliveries that a person has to decide
// about. /tasks#t-… leads to one task.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Deliveries} from "./components/deliveries.js";
import {Header} from "./components/header.js";
import {TaskFilters} from "./components/task_filters.js";
import {TaskTree} from "./components/task_tree.js";
import {may} from "./stores/account.js";
import {Board} from "./stores/board.js";
import {watch} from "./stores/changes.js";
import {html, render, signal, useLayoutEffect} from "./ui.js";

const board = new Board();
const outbox = signal(null); // null: not for this person

const refresh = watch(async changed => {
  if (changed.has("tasks")) await board.load();
  else if (changed.has("questions")) await board.ask();
  if (changed.has("deliveries") && may("GET /api/outbox")) outbox.value = await ask("/api/outbox?state=blocked&state=unknown&state=pending&state=sending");
}, () => board.filters.value.person);

board.others(refresh);

// meant leads to the task that the address names; one that is not listed is looked for.
function meant() {
  const id = location.hash.slice(1);
  if (!/^t-[a-z0-9]+$/.test(id)) return;
  const card = document.querySelector(`[data-task="${id}"]`);
  if (!card) return void board.filter("q", id);
  card.scrollIntoView({block: "center"});
  card.focus({preventScroll: true});
}

window.addEventListener("hashchange", meant);

function TasksPage() {
  const tops = board.tops.value, read = board.read.value;
  useLayoutEffect(() => { if (read) meant(); }, [read]);
  return html`
    <${Header} />
    <main class="page">
      <h2>Tasks</h2>
      <${TaskFilters} board=${board} />
      <ul id="tasks" class="tasks" aria-label="Tasks">${tops.map(id => html`<${TaskTree} key=${id} id=${id} board=${board} top />`)}</ul>
      ${read && !tops.length && html`<p id="none" class="muted">${board.filtered ? "Nothing was found." : "No tasks yet. Ask in the chat: “ask Sasha to compare night trains to Oslo, in the background”."}</p>`}
      ${board.more.value && html`<p><button id="more" type="button" class="small" onClick=${() => board.older()}>Older ones</button></p>`}
      ${outbox.value && html`<${Deliveries} list=${outbox.value} refresh=${refresh} />`}
    </main>
    <${Announcer} />`;
}

render(html`<${TasksPage} />`, document.body);
