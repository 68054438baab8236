// The tasks page: all tasks, and deliveries that a person has to decide about.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Deliveries} from "./components/deliveries.js";
import {Header} from "./components/header.js";
import {TaskCard} from "./components/task.js";
import {may} from "./stores/account.js";
import {poll} from "./stores/poll.js";
import {Tasks} from "./stores/tasks.js";
import {html, render, signal} from "./ui.js";

const tasks = new Tasks(new URLSearchParams({limit: 200}));
const read = signal(false);
const outbox = signal(null); // null: not for this person

const refresh = poll(async () => {
  await tasks.load();
  read.value = true;
  if (may("GET /api/outbox")) outbox.value = await ask("/api/outbox?state=blocked&state=unknown&state=pending&state=sending");
}, 1500);

function TasksPage() {
  const ids = tasks.ids.value;
  return html`
    <${Header} />
    <main class="page">
      <h2>Tasks</h2>
      <div id="tasks" class="tasks">
        ${ids.map(id => html`<${TaskCard} key=${id} id=${id} tasks=${tasks} />`)}
        ${read.value && !ids.length && html`<p class="muted">No tasks yet.</p>`}
      </div>
      ${outbox.value && html`<${Deliveries} list=${outbox.value} refresh=${refresh} />`}
    </main>
    <${Announcer} />`;
}

render(html`<${TasksPage} />`, document.body);
