// The chat page. What is shown comes from the session's event log: each durable
// event has an id and is shown once, whatever the connection does.

import {ask, display, make, taskCard, terminal, tick} from "./api.js";
import {header} from "./header.js";
import {LiveMarkdown, markdown} from "./markdown.js";

const $ = id => document.getElementById(id);
const chat = new URLSearchParams(location.search).get("chat") || "main";
const path = `/api/sessions/${encodeURIComponent(chat)}`;
const log = $("log"), text = $("text"), main = document.querySelector("main");

let webUI = "";
let last = 0;               // id of the newest event that is shown
let live = null;            // the bubble of the reply that is being generated
let liveText = null;        // what it shows
const waiting = new Map();  // messages of ours without a reply, by message id
const ended = new Set();    // tasks that have their outcome
const doing = new Map();    // what each agent at work does, by task id or "turn"

$("chat-name").textContent = chat === "main" ? "" : chat;
if (chat !== "main") document.title = `errand: ${chat}`;

// --- showing ---------------------------------------------------------------

// pinned: the newest entry stays in sight, also while cards grow.
let pinned = true;
main.addEventListener("scroll", () => { pinned = main.scrollHeight - main.scrollTop - main.clientHeight < 80; });
const toEnd = () => { if (pinned) main.scrollTop = main.scrollHeight; };
const grown = new ResizeObserver(toEnd);
for (const part of [log, $("live")]) grown.observe(part);

function show(node) {
  if (node && !node.isConnected) log.append(node);
  $("empty").hidden = log.childElementCount > 0;
  if (node?.classList.contains("mine")) pinned = true;
  toEnd();
}

function bubble(kind, who, body) {
  return make("div", {class: `message ${kind}`, dir: typeof body === "string" ? "auto" : undefined}, who ? make("span", {class: "who"}, who) : null, body);
}

function mine(id, body, state) {
  let node = log.querySelector(`[data-message="${CSS.escape(id)}"]`);
  if (!node) {
    node = make("div", {"data-message": id, dir: "auto"});
    node.append(body);
  }
  node.className = `message mine ${state}`;
  show(node);
  return node;
}

function showDoing() {
  const lines = [...doing.values()];
  if (!lines.length && waiting.size) lines.push("Sent; waiting for the agent");
  $("doing").textContent = lines.slice(-3).join(" · ");
  $("stop").hidden = !doing.has("turn") && !waiting.size;
}

function dropLive() {
  live?.remove();
  live = liveText = null;
}

// --- events ----------------------------------------------------------------

const handlers = {
  message(e) {
    answered();
    mine(e.message_id, e.text, "");
    waiting.set(e.message_id, true);
  },
  step(e) {
    if (ended.has(e.task_id)) return;
    doing.set(e.task_id || "turn", `${display(e.agent)}: ${e.text}`);
    if (e.task_id) refreshTask(e.task_id);
  },
  delta(e) {
    if (!live) {
      liveText = new LiveMarkdown();
      live = bubble("live", display(e.agent), liveText.element);
      // Outside of the log: a screen reader is told the reply once, when it is whole.
      $("live").append(live);
    }
    liveText.add(e.text);
  },
  reset: dropLive,
  task(e) {
    refreshTask(e.task_id, true);
    if (terminal(e.state)) {
      ended.add(e.task_id);
      doing.delete(e.task_id);
    }
  },
  reply: e => told(e, "reply", display(e.agent)),
  question: e => offer(e, "reply question", display(e.agent)),
  late: e => told(e, "late", lateHead(e)),
  notice(e) {
    if (e.turn) {
      waiting.clear();
      doing.delete("turn");
      dropLive();
    }
    show(bubble("notice", "", e.text));
  },
  error: e => offer(e, "error", "No reply"),
};

// offer shows what errand says with a button for each answer it offers: to a
// question, or to a model that has not answered ("Try again").
function offer(e, kind, who) {
  answered();
  const node = told(e, kind, who);
  node.append(make("div", {class: "choices"}, ...(e.options ?? []).map(option =>
    make("button", {class: "small", type: "button", onclick: () => send(option)}, option))));
  show(node);
}

function lateHead(e) {
  if (e.cause === "reminder") return `${display(e.agent)}, reminder`;
  return e.task_id ? `Late result, told by ${display(e.agent)}` : `${display(e.agent)}, late result`;
}

function told(e, kind, who) {
  dropLive();
  if (kind !== "late") waiting.clear();
  doing.delete("turn");
  const node = bubble(kind, who, markdown(e.text));
  show(node);
  return node;
}

// answered takes the buttons off questions: something else was said since.
function answered() {
  for (const choices of log.querySelectorAll(".choices")) choices.remove();
}

function take(e) {
  if (e.id) {
    if (e.id <= last) return; // shown before
    last = e.id;
  }
  handlers[e.type]?.(e);
  if (["reply", "question", "notice"].includes(e.type)) lookWho();
  if (e.id && (e.type === "error" || e.type === "reply" && !$("dead-model").hidden)) lookAbout();
  showDoing();
}

// lookAbout shows whether the models answer; a burst of events asks once.
let lookingAbout;
function lookAbout() {
  clearTimeout(lookingAbout);
  lookingAbout = setTimeout(() => ask("/api/about").then(said, () => {}), 150);
}

// lookWho shows who answers here, and to whom the chat can be handed; a burst of
// events asks once.
let looking;
function lookWho() {
  clearTimeout(looking);
  looking = setTimeout(async () => {
    try {
      const agents = await ask(`/api/agents?chat=${encodeURIComponent(chat)}`);
      const active = agents.find(a => a.active) ?? agents.find(a => a.primary);
      $("with").hidden = !active;
      $("agent").replaceChildren(...agents.filter(a => a.talks || a === active).map(a =>
        make("option", {value: a.name, title: a.description}, display(a.name))));
      $("agent").disabled = $("agent").length < 2;
      $("agent").value = active?.name ?? "";
    } catch {
      // The next event tries again.
    }
  }, 150);
}

async function refreshTask(id, create) {
  let card = log.querySelector(`[data-task="${CSS.escape(id)}"]`);
  if (!card) {
    if (!create) return;
    card = make("article", {class: "task", "data-task": id}, `Task ${id}`);
    show(card);
  }
  try {
    const task = await ask(`/api/tasks/${id}`);
    const fresh = taskCard(task, {webUI, doing: doing.get(id), changed: () => refreshTask(id)});
    card = log.querySelector(`[data-task="${CSS.escape(id)}"]`) ?? card;
    if (card.querySelector("details[open]")) fresh.querySelector("details")?.setAttribute("open", "");
    card.replaceWith(fresh);
    show();
  } catch {
    // The next event tries again.
  }
}

// --- connection ------------------------------------------------------------

let delay = 500;
function connect() {
  const source = new EventSource(`${path}/events` + (last ? `?after=${last}` : ""));
  source.onopen = () => {
    delay = 500;
    $("connection").textContent = "";
    header().then(({info}) => said(info), () => {});
    lookWho();
  };
  source.onmessage = message => take(JSON.parse(message.data));
  source.onerror = () => {
    // Reconnecting is ours: after a restart the browser would give up on some
    // answers, and would begin at the last id of this connection only.
    source.close();
    doing.clear();
    dropLive();
    $("connection").textContent = "errand is not reachable, trying again…";
    showDoing();
    ask(`/api/tasks?limit=1&chat=${encodeURIComponent(chat)}`).catch(error => {
      if (error.final) $("connection").textContent = error.message; // such a chat cannot be
    });
    setTimeout(connect, delay);
    delay = Math.min(delay * 2, 5000);
  };
}

function said(info) {
  webUI = info.web_ui;
  $("demo").hidden = !info.demo;
  $("paused").hidden = !info.paused;
  const dead = (info.models ?? []).filter(m => !m.ok).map(m => `${m.name || m.model}: ${m.says}`);
  $("dead-model").replaceChildren(...dead.map(text => make("div", {}, text)));
  $("dead-model").hidden = !dead.length;
}

// --- sending ---------------------------------------------------------------

const draftKey = `draft:${chat}`;
text.value = sessionStorage.getItem(draftKey) ?? "";
text.addEventListener("input", () => sessionStorage.setItem(draftKey, text.value));

async function send(body, id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`) {
  const command = /^\/[^\s/]*(\s|$)/.test(body); // as errand.IsCommand
  const node = mine(id, body, "sending");
  node.querySelector("button")?.remove();
  if (!command) waiting.set(id, true);
  showDoing();
  try {
    const answer = await ask(`${path}/messages?wait=false`, {text: body, message_id: id});
    node.classList.remove("sending");
    if (answer.command) lookWho();
    if (answer.command) show(bubble("notice", "", answer.reply.text));
  } catch (error) {
    node.className = "message mine failed";
    waiting.delete(id);
    node.append(make("br"), make("button", {class: "small", type: "button", onclick: () => {
      // The same id: what was accepted after all is not accepted twice.
      node.replaceChildren(body);
      send(body, id);
    }}, error.final ? error.message : "Not sent; send again"));
    if (error.final) node.querySelector("button").disabled = true;
    showDoing();
  }
}

$("form").addEventListener("submit", event => {
  event.preventDefault();
  const body = text.value.trim();
  if (!body) return;
  text.value = "";
  sessionStorage.removeItem(draftKey);
  send(body);
  text.focus();
});
text.addEventListener("keydown", event => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && !$("stop").hidden) $("stop").click();
});
$("stop").addEventListener("click", () => {
  waiting.clear();
  doing.delete("turn");
  dropLive();
  send("/stop");
});
for (const button of document.querySelectorAll(".suggestions button")) {
  button.addEventListener("click", () => send(button.textContent));
}

$("agent").addEventListener("change", async () => {
  await send(`/agent ${$("agent").value}`);
  lookWho(); // it may have been refused
  text.focus();
});
$("new").addEventListener("click", async () => {
  $("new").disabled = true;
  await send("/new");
  lookWho();
  $("new").disabled = false;
  text.focus();
});

$("empty").hidden = false;
setInterval(tick, 1000);
connect();
