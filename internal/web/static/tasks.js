// The tasks page: all tasks, and deliveries that a person has to decide about.

import {act, ask, make, taskCard, tick} from "./api.js";
import {header} from "./header.js";

const connection = document.getElementById("connection");
let webUI = "", deliveries = false, shown = "", shownOutbox = "";

async function refresh() {
  try {
    const [tasks, outbox] = await Promise.all([ask("/api/tasks?limit=200"), deliveries ? ask("/api/outbox?state=blocked&state=unknown&state=pending&state=sending") : []]);
    connection.textContent = "";
    const now = JSON.stringify(tasks);
    if (now !== shown && !document.querySelector("#tasks :focus-visible")) {
      shown = now;
      const open = new Set([...document.querySelectorAll("#tasks details[open]")].map(d => d.closest("[data-task]").dataset.task));
      const cards = tasks.map(task => taskCard(task, {webUI, changed: refresh}));
      for (const card of cards) if (open.has(card.dataset.task)) card.querySelector("details")?.setAttribute("open", "");
      document.getElementById("tasks").replaceChildren(...(cards.length ? cards : [make("p", {class: "muted"}, "No tasks yet.")]));
    }
    if (JSON.stringify(outbox) !== shownOutbox) {
      shownOutbox = JSON.stringify(outbox);
      document.getElementById("outbox").replaceChildren(...(outbox.length ? outbox.map(row) : [make("p", {class: "muted"}, "None.")]));
    }
  } catch (error) {
    connection.textContent = error.final ? error.message : "errand is not reachable, trying again…";
  }
}

function row(n) {
  const button = (label, verb) => act(label, async () => {
    await ask(`/api/outbox/${n.id}/${verb}`, {});
    refresh();
  });
  return make("article", {class: "task"},
    make("div", {class: "row"}, make("span", {class: "title"}, `${n.route.channel} ${n.route.chat}: ${n.state}`), button("Send again", "retry"), button("Dismiss", "dismiss")),
    make("p", {class: "muted"}, n.error ?? ""), make("p", {class: "result"}, n.text));
}

header().then(({info, may}) => {
  webUI = info.web_ui;
  deliveries = may("GET /api/outbox");
  document.getElementById("deliveries").hidden = !deliveries;
}, () => {}).then(refresh);
setInterval(refresh, 1500);
setInterval(tick, 1000);
