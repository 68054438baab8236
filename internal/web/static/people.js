// The page of people: who asks to be let in, who is in, who was turned away.

import {act, ask, make, moment, sure} from "./api.js";
import {header} from "./header.js";

const $ = id => document.getElementById(id);
let roles = [], me = {}, people = [], shown = {};

// --- asking to be let in -----------------------------------------------------

// asking shows who waits, without the code: a name proves nothing, the code that
// somebody says does.
function asking(p) {
  return make("article", {class: "card", "data-name": p.name},
    make("div", {class: "row"}, make("span", {class: "title"}, p.name || "somebody without a name"),
      p.person ? make("span", {class: "role"}, `known already: ${called(p.person)}`) : null),
    make("div", {class: "row muted"},
      make("span", {}, p.channel === "web" ? `in a browser${p.address ? ` at ${p.address}` : ""}` : `${on(p)} ${p.external_id}`),
      make("span", {}, `asked at ${moment(p.created)}, until ${moment(p.expires)}`),
      act("Deny", async () => {
        await ask(`/api/pairings/${encodeURIComponent(p.code)}/deny`, {});
        refresh();
      }, {end: true})));
}

// on is a channel with the account of ours.
const on = i => i.account ? `${i.channel}/${i.account}` : i.channel;

const called = id => people.find(p => p.id === id)?.name || id;

// approving fills the form that lets somebody in.
function approving() {
  const role = select(roles, "member", "Role");
  $("as").replaceChildren(role);
  $("approve").addEventListener("submit", async event => {
    event.preventDefault();
    const code = $("code").value.trim();
    $("approved").textContent = "";
    try {
      const {person} = await ask(`/api/pairings/${encodeURIComponent(code)}/approve`, {role: role.value});
      $("approved").textContent = `${person.name || person.id} is in.`;
      $("code").value = "";
    } catch (error) {
      $("approved").textContent = error.message;
    }
    refresh();
  });
}

function select(options, value, label) {
  const field = make("select", {"aria-label": label}, ...options.map(([v, name]) => make("option", {value: v}, name)));
  field.value = value;
  return field;
}

// --- people ------------------------------------------------------------------

const path = p => `/api/people/${encodeURIComponent(p.id)}`;

function person(p) {
  const role = select(roles, p.role, `Role of ${p.name}`);
  const said = make("span", {class: "said", role: "status"});
  role.addEventListener("change", async () => {
    said.textContent = "";
    try {
      await ask(path(p), {role: role.value});
      p.role = role.value;
    } catch (error) {
      said.textContent = error.message;
      role.value = p.role;
    }
    if (p.id === me.id) header();
    refresh();
  });
  return make("article", {class: "card", "data-person": p.id},
    make("div", {class: "row"}, make("span", {class: "title"}, p.name || p.id), p.id === me.id ? make("span", {class: "role"}, "you") : null,
      make("code", {class: "muted"}, p.id), role, said),
    p.language ? make("p", {class: "muted"}, `speaks ${p.language}`) : null,
    known(p), tokens(p),
    make("div", {class: "row"}, newToken(p), p.id === me.id ? null : act("Remove", async () => {
      if (!await sure(`Remove ${p.name || p.id}?`, "Remove", "Their tokens and logins end, and no channel knows them any more. What they said stays until it is deleted.")) return;
      await ask(path(p), undefined, "DELETE");
      refresh();
    }, {end: true})));
}

// known lists by what platforms know a person; browsers are known by their logins.
function known(p) {
  const identities = (p.identities ?? []).filter(i => i.channel !== "web");
  if (!identities.length) return null;
  return make("ul", {class: "plain"}, ...identities.map(i => make("li", {class: "row"},
    make("span", {}, `${on(i)} ${i.external_id}`), i.name ? make("span", {class: "muted"}, i.name) : null,
    act("Unlink", async () => {
      if (!await sure("Unlink this identity?", "Unlink", "Whoever writes with it will have to ask to be let in again.")) return;
      const q = new URLSearchParams({channel: i.channel, account: i.account ?? "", external_id: i.external_id});
      await ask(`${path(p)}/identities?${q}`, undefined, "DELETE");
      refresh();
    }))));
}

function tokens(p) {
  if (!p.tokens?.length) return null;
  return make("ul", {class: "plain"}, ...p.tokens.map(t => make("li", {class: "row"},
    make("span", {}, { login: "Login", link: "Link to log in" }[t.kind] ?? "Token"), t.name ? make("span", {}, t.name) : null,
    make("span", {class: "muted"}, `since ${moment(t.created)}, ${validity(t)}`),
    act("Revoke", async () => {
      await ask(`/api/tokens/${encodeURIComponent(t.id)}`, undefined, "DELETE");
      refresh();
    }))));
}

function validity(t) {
  if (!t.expires) return "does not expire";
  return `${new Date(t.expires) < new Date() ? "expired" : "until"} ${moment(t.expires)}`;
}

// newToken is a small form; the token it makes is shown until the page is left,
// and never again.
function newToken(p) {
  const box = make("details", {class: "new-token"}, make("summary", {}, "New token"));
  const name = make("input", {"aria-label": "What it is for", placeholder: "what it is for", maxlength: "60"});
  const days = make("input", {"aria-label": "Days it is valid", type: "number", min: "0", max: "3650", value: "90"});
  box.append(make("div", {class: "row"}, name, make("label", {class: "muted"}, days, " days (0: for good)"), act("Make", async () => {
    const made = await ask(`${path(p)}/tokens`, {name: name.value.trim(), days: Number(days.value) || 0});
    const copied = act("Copy", async () => {
      await navigator.clipboard.writeText(made.token);
      copied.querySelector("button").textContent = "Copied";
    });
    box.append(make("p", {class: "secret"}, make("code", {}, made.token), navigator.clipboard ? copied : null,
      make("span", {class: "muted"}, "This is shown only once.")));
    name.value = "";
  }, {class: "small primary"})));
  return box;
}

// --- turned away -------------------------------------------------------------

function refusal(r) {
  return make("li", {class: "row"}, make("span", {}, `${on(r)} ${r.external_id}`), r.name ? make("span", {}, r.name) : null,
    make("span", {class: "muted"}, `${r.reason}; ${r.times === 1 ? "once" : `${r.times} times`}, last ${moment(r.last)}`));
}

// --- all of it ---------------------------------------------------------------

// fill replaces a part of the page if it changed, and nobody is at work in it.
function fill(id, list, build, none) {
  const now = JSON.stringify(list), at = $(id);
  const busy = at.contains(document.activeElement) && document.activeElement.matches("select, input") || at.querySelector(".secret, .new-token[open]");
  if (now === shown[id] || busy && shown[id] !== undefined && id === "people") return;
  shown[id] = now;
  at.replaceChildren(...(list.length ? build(list) : [make("p", {class: "muted"}, none)]));
}

async function refresh() {
  try {
    const [pairings, everybody, refusals] = await Promise.all([ask("/api/pairings?waiting=true"), ask("/api/people"), ask("/api/refusals")]);
    people = everybody;
    $("connection").textContent = "";
    fill("pairings", pairings, list => list.map(asking), "Nobody is waiting.");
    fill("people", people, list => list.map(person), "Nobody.");
    fill("refusals", refusals, list => [make("ul", {class: "plain"}, ...list.map(refusal))], "Nobody.");
  } catch (error) {
    $("connection").textContent = error.final ? error.message : "errand is not reachable, trying again…";
  }
}

header().then(found => {
  me = found.me;
  roles = found.info.roles.map(r => [r.role, r.name]);
  approving();
  refresh();
  setInterval(refresh, 3000);
}, error => { $("connection").textContent = error.message; });
