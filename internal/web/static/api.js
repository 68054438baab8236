// What all pages share: asking the API, and building what they show.

export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const options = {method};
  if (body !== undefined) Object.assign(options, {headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) location.assign("/login.html"); // logged out meanwhile
  if (!response.ok) {
    const error = new Error(answer.error?.message ?? `errand answered ${response.status}`);
    error.status = response.status;
    error.code = answer.error?.code;
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

// moment tells a time as people read it: today without its date.
export function moment(text) {
  const at = new Date(text), now = new Date();
  const time = at.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"});
  if (at.toDateString() === now.toDateString()) return time;
  const day = at.toLocaleDateString([], {day: "numeric", month: "short", year: at.getFullYear() === now.getFullYear() ? undefined : "numeric"});
  return `${day}, ${time}`;
}

// act makes a button that does something; what goes wrong is told beside it.
export function act(label, run, {end, ...attributes} = {}) {
  const said = make("span", {class: "said", role: "status"});
  const button = make("button", {class: "small", type: "button", ...attributes, onclick: async () => {
    button.disabled = true;
    said.textContent = "";
    try {
      await run();
    } catch (error) {
      said.textContent = error.message;
    }
    button.disabled = false;
  }}, label);
  return make("span", {class: end ? "act end" : "act"}, button, said);
}

// sure asks before something that cannot be undone, and resolves to yes or no.
export function sure(question, yes, detail) {
  return new Promise(resolve => {
    const dialog = make("dialog", {"aria-label": question},
      make("p", {class: "title"}, question), detail ? make("p", {class: "muted"}, detail) : null,
      make("form", {method: "dialog", class: "choices"},
        make("button", {value: "no", autofocus: true}, "Keep it"), make("button", {value: "yes", class: "danger"}, yes)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

const told = {turn: "told at once", fold: "told in the chat", notification: "told as a notification", none: "kept here: nobody to tell"};

// taskCard shows a task; changed is called after it was canceled or retried.
export function taskCard(task, {webUI, doing, changed}) {
  const end = terminal(task.state) ? new Date(task.finished) : new Date();
  const card = make("article", {class: `task ${task.state}`, "data-task": task.id, "aria-label": `Task ${task.id}`});
  const button = (label, verb) => make("button", {class: "small", type: "button", onclick: async event => {
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
      terminal(task.state) ? (task.state === "completed" ? null : button("Retry", "retry")) : button("Cancel", "cancel")),
    make("div", {class: "row state"},
      webUI ? make("a", {href: `${webUI}/namespaces/default/workflows/${task.id}`, target: "_blank", rel: "noopener"}, make("code", {}, task.id)) : make("code", {}, task.id),
      make("span", {}, task.state.replace("_", " ")),
      make("span", {}, steps),
      make("span", {class: "elapsed", "data-since": terminal(task.state) ? undefined : task.created}, elapsed(new Date(task.created), end)),
      task.cost ? make("span", {}, `${task.cost.toFixed(4)} USD`) : null,
      told[task.way] && task.state !== "canceled" ? make("span", {}, told[task.way]) : null,
      task.trouble && !doing?.includes(task.trouble) ? make("span", {class: "trouble"}, task.trouble) : null,
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
