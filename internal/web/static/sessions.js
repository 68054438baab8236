// The page of sessions: what was talked about, with whom, and what comes up.

import {act, ask, display, make, moment, sure} from "./api.js";
import {header} from "./header.js";
import {markdown} from "./markdown.js";

const $ = id => document.getElementById(id);
const form = $("filters");
const pageSize = 50;
let me = {}, may = () => false, oldest = "";
const names = new Map(); // of people, as far as this person may know them

const whom = id => names.get(id) ?? id;

// --- the list ----------------------------------------------------------------

function query(extra = {}) {
  const q = new URLSearchParams();
  for (const [name, value] of [...new FormData(form), ...Object.entries(extra)]) if (value) q.set(name, String(value).trim());
  return q;
}

const where = (channel, chat) => `${channel}, ${chat}`;

function entry(s) {
  return make("a", {class: "card", href: `#${s.id}`, "data-session": s.id},
    make("span", {class: "row"}, make("span", {class: "title"}, display(s.agent)), make("span", {class: `state ${s.state}`}, s.state), make("span", {class: "when muted"}, moment(s.active))),
    make("span", {class: "row muted"}, make("span", {}, where(s.route.channel, s.route.chat)), make("span", {}, s.turns === 1 ? "1 turn" : `${s.turns} turns`),
      s.person === me.id ? null : make("span", {}, whom(s.person))));
}

function hit(h) {
  return make("a", {class: "card", href: `#${h.session_id}`, "data-session": h.session_id},
    make("span", {class: "row"}, make("span", {class: "title"}, h.speaker !== "user" ? display(h.agent) : h.person === me.id ? "You" : whom(h.person)), make("span", {class: "when muted"}, moment(h.created))),
    make("span", {class: "excerpt"}, h.excerpt), make("span", {class: "row muted"}, make("span", {}, where(h.channel, h.chat)), h.person === me.id ? null : make("span", {}, whom(h.person))));
}

let asked = 0;
async function list(older) {
  const mine = ++asked, q = query(older ? {before: oldest, limit: pageSize} : {limit: pageSize});
  const searching = q.has("q");
  for (const field of [form.agent, form.state, form.channel]) field.disabled = searching; // words are looked for everywhere
  try {
    const found = await ask(searching ? `/api/sessions/search?${q}` : `/api/sessions?${q}`);
    if (mine !== asked) return; // somebody typed on
    const cards = found.map(searching ? hit : entry);
    if (older) $("sessions").append(...cards);
    else $("sessions").replaceChildren(...cards);
    oldest = found.at(-1)?.active ?? "";
    $("more").hidden = searching || found.length < pageSize;
    $("said").textContent = found.length || older ? "" : searching ? "Nothing was found." : "No sessions.";
    mark();
  } catch (error) {
    if (mine === asked) $("said").textContent = error.message;
  }
}

function mark() {
  for (const card of $("sessions").children) card.classList.toggle("current", card.dataset.session === location.hash.slice(1));
}

// --- one session -------------------------------------------------------------

async function show() {
  const id = location.hash.slice(1);
  mark();
  document.body.classList.toggle("one", id !== "");
  $("shown").hidden = !id;
  if (!id) return;
  try {
    const found = await ask(`/api/sessions/${id}`);
    if (id === location.hash.slice(1)) $("shown").replaceChildren(...session(found));
  } catch (error) {
    $("shown").replaceChildren(back(), make("p", {class: "muted"}, error.message));
  }
  $("shown").focus({preventScroll: true});
  $("shown").scrollTop = 0;
}

const back = () => make("a", {class: "back", href: "#"}, "← All sessions");

function session({session: s, messages, name, artifacts, notices, role, tools}) {
  const file = format => `/api/sessions/${s.id}/export?format=${format}`;
  const mine = s.person === me.id;
  return [back(),
    make("div", {class: "row"}, make("h2", {}, display(s.agent)), make("span", {class: `state ${s.state}`}, s.state)),
    make("p", {class: "muted"}, `${mine ? "You" : name || whom(s.person)} on ${where(s.route.channel, s.route.chat)}; ${moment(s.created)} to ${moment(s.active)}`),
    s.route.channel === "web" ? null : make("p", {class: "muted"}, `Account ${s.route.channel}/${s.route.account}`),
    role ? make("p", {class: "muted"}, `Role now: ${role}. Tools: ${(tools ?? []).join(", ") || "none"}`) : null,
    make("p", {class: "muted"}, make("code", {}, s.id)),
    make("div", {class: "row"},
      mine && s.route.channel === "web" && s.state !== "ended" ? make("a", {class: "button small", href: `/?chat=${encodeURIComponent(s.route.chat)}`}, "Open the chat") : null,
      make("a", {class: "button small", href: file("markdown"), download: ""}, "Markdown"),
      make("a", {class: "button small", href: file("json"), download: ""}, "JSON"),
      may("DELETE /api/sessions/{id}") && (mine || me.role === "master_admin") ? act("Delete", () => remove(s), {class: "small danger"}) : null),
    make("div", {class: "transcript"}, ...said(messages ?? [], notices ?? []).map(m => message(m, artifacts ?? [])).filter(Boolean))].filter(Boolean);
}

// said puts what errand itself said between the messages, by time.
const said = (messages, notices) => [...messages, ...notices.map(n => ({...n, notice: true}))]
  .map((m, i) => [m, i]).sort(([a, i], [b, j]) => new Date(a.created) - new Date(b.created) || i - j).map(([m]) => m);

function message(m, artifacts) {
  if (m.notice) return make("div", {class: "message notice", dir: "auto", title: moment(m.created)}, m.text);
  if (m.speaker === "tool") {
    return make("details", {class: "tool"}, make("summary", {}, "Result of a tool"), make("pre", {tabindex: "0"}, m.text));
  }
  const calls = (m.calls ?? []).map(c => make("details", {class: "tool"}, make("summary", {}, `Called ${c.name}`), make("pre", {tabindex: "0"}, c.arguments)));
  if (!m.text) return calls.length ? make("div", {}, ...calls) : null;
  const body = m.speaker === "user" ? linked(m.text, artifacts) : [markdown(m.text)];
  return make("div", {class: "said-by"}, make("div", {class: `message ${m.speaker === "user" ? "mine" : "reply"}`, dir: m.speaker === "user" ? "auto" : undefined, title: moment(m.created)},
    m.speaker === "user" ? null : make("span", {class: "who"}, display(m.agent)), ...body), ...calls);
}

// linked is what somebody wrote, with links to the files that they sent.
const linked = (text, artifacts) => text.split(/\b(a-[2-9a-z]{8})\b/).map(piece => artifacts.some(a => a.id === piece) ?
  make("a", {href: `/api/artifacts/${piece}`, download: ""}, piece) : piece);

async function remove(s) {
  if (!await sure("Delete this session?", "Delete", "What was said, the notes made in it, its tasks and the histories of its workflows are removed for good.")) return;
  let gone;
  try {
    gone = await ask(`/api/sessions/${s.id}`, undefined, "DELETE");
  } catch (error) {
    if (error.status !== 409) throw error;
    if (!await sure("Delete it all the same?", "Cancel them and delete", error.message)) return;
    gone = await ask(`/api/sessions/${s.id}?force=true`, undefined, "DELETE");
  }
  location.hash = "";
  await list();
  $("said").textContent = `Removed: ${told(gone.removed)}.`;
}

// told tells what was deleted, in the words that it has: "9 messages, 1 task".
function told(removed) {
  return Object.entries(removed).map(([kind, n]) => `${n} ${n === 1 ? kind.replace(/s$/, "") : kind}`).join(", ") || "the session";
}

// --- reminders ---------------------------------------------------------------

async function reminders() {
  if (!may("GET /api/reminders")) return;
  const all = await ask("/api/reminders");
  $("reminding").hidden = false;
  $("reminders").replaceChildren(...(all.length ? all.map(r => make("article", {class: "card"},
    make("div", {class: "row"}, make("span", {class: "title"}, r.text), make("span", {class: "when muted"}, r.next ? moment(r.next) : "")),
    make("div", {class: "row muted"}, make("span", {}, r.when), make("span", {}, where(r.channel, r.chat)), make("code", {}, r.id),
      act("Cancel", async () => {
        await ask(`/api/reminders/${r.id}`, undefined, "DELETE");
        reminders();
      }, {end: true})))) : [make("p", {class: "muted"}, "None. Ask for one in a chat: “remind me tomorrow at nine to call Ada”.")]));
}

// --- notes -------------------------------------------------------------------

async function notes() {
  if (!may("GET /api/memory")) return;
  const all = await ask("/api/memory");
  $("noted").hidden = false;
  $("notes").replaceChildren(...(all.length ? all.map(n => make("article", {class: "card"},
    make("div", {class: "row"}, make("span", {class: "title"}, n.key), make("span", {class: "when muted"}, `${display(n.agent)}, ${moment(n.updated)}`)),
    make("p", {class: "excerpt"}, n.value),
    make("div", {class: "row muted"}, n.expires ? make("span", {}, `until ${moment(n.expires)}`) : null, act("Forget", async () => {
      await ask(`/api/memory/${encodeURIComponent(n.agent)}/${encodeURIComponent(n.key)}`, undefined, "DELETE");
      notes();
    }, {end: true})))) : [make("p", {class: "muted"}, "None.")]));
}

// --- all of it ---------------------------------------------------------------

async function begin() {
  const found = await header();
  me = found.me;
  may = found.may;
  $("whose").hidden = !["partner", "master_admin"].includes(me.role);
  const agents = await ask("/api/agents");
  form.agent.append(...agents.map(a => make("option", {value: a.name}, display(a.name))));
  if (may("GET /api/people") && may("GET /people")) {
    const people = await ask("/api/people");
    for (const p of people) names.set(p.id, p.name || p.id);
    form.person.append(...people.filter(p => p.id !== me.id).map(p => make("option", {value: p.id}, p.name || p.id)));
  }
  await Promise.all([list(), show(), reminders(), notes()]);
}

let typing;
form.q.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(list, 250);
});
form.addEventListener("change", () => list());
form.addEventListener("submit", event => {
  event.preventDefault();
  list();
});
$("more").addEventListener("click", () => list(true));
window.addEventListener("hashchange", show);
begin().catch(error => { $("connection").textContent = error.message; });
