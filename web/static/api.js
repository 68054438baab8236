// What both pages share: asking the API, and building what they show.

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const error = new Error(answer.error?.message ?? `errand answered ${response.status}`);
    error.final = response.status >= 400 && response.status < 500;
    throw error;
  }
  return answer;
}

// make builds an element; children that are strings become text, never markup.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== undefined && child !== null));
  return element;
}

export const display = name => (name ?? "").split(",").map(n => n.charAt(0).toUpperCase() + n.slice(1)).join(", ");

export const terminal = state => ["completed", "failed", "canceled", "rejected"].includes(state);

export function elapsed(from, to) {
  const seconds = Math.max(0, Math.round((to - from) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
}

// about fills in what every page says of the installation.
export async function about() {
  const info = await ask("/api/about");
  const link = document.getElementById("web-ui");
  if (info.web_ui && link) {
    link.href = info.web_ui;
    link.hidden = false;
  }
  return info;
}

const told = {turn: "told at once", fold: "told in the chat", notification: "told as a notification", none: "kept here: nobody to tell"};

// taskCard shows a task; changed is called after it was canceled or retried.
export function taskCard(task, {webUI, doing, changed}) {
  const end = terminal(task.state) ? new Date(task.finished) : new Date();
  const card = make("article", {class: `task ${task.state}`, "data-task": task.id, "aria-label": `Task ${task.id}`});
  const act = (label, verb) => make("button", {class: "small", type: "button", onclick: async event => {
    event.target.disabled = true;
    try {
      await ask(`/api/tasks/${task.id}/${verb}`, {});
      changed?.();
    } catch (error) {
      event.target.textContent = error.message;
    }
  }}, label);
  const steps = task.model_calls === 1 ? "1 step" : `${task.model_calls} steps`;
  card.append(
    make("div", {class: "row"},
      make("span", {class: "title"}, `${display(task.agent)}: ${task.title}`),
      terminal(task.state) ? (task.state === "completed" ? null : act("Retry", "retry")) : act("Cancel", "cancel")),
    make("div", {class: "row state"},
      webUI ? make("a", {href: `${webUI}/namespaces/default/workflows/${task.id}`, target: "_blank", rel: "noopener"}, make("code", {}, task.id)) : make("code", {}, task.id),
      make("span", {}, task.state.replace("_", " ")),
      make("span", {}, steps),
      make("span", {class: "elapsed", "data-since": terminal(task.state) ? undefined : task.created}, elapsed(new Date(task.created), end)),
      task.cost ? make("span", {}, `${task.cost.toFixed(4)} USD`) : null,
      told[task.way] && task.state !== "canceled" ? make("span", {}, told[task.way]) : null,
      !terminal(task.state) && doing ? make("span", {}, doing) : null));
  if (task.result || task.error) {
    card.append(make("details", {}, make("summary", {}, task.result ? "Result" : task.state === "canceled" ? "Reason" : "What went wrong"), make("p", {class: "result"}, task.result || task.error)));
  }
  return card;
}

// tick keeps the clocks of open tasks going.
export function tick() {
  for (const clock of document.querySelectorAll(".elapsed[data-since]")) {
    clock.textContent = elapsed(new Date(clock.dataset.since), new Date());
  }
}
