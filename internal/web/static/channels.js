// The page of channels: our accounts on platforms, and how they are connected.

import {act, ask, display, make, moment} from "./api.js";
import {header} from "./header.js";

let shown = "";

const path = c => `/api/channels/${encodeURIComponent(c.channel)}/${encodeURIComponent(c.account)}`;

function account(c) {
  return make("article", {class: `card channel ${c.state.replace(" ", "-")}`, "data-account": `${c.channel}/${c.account}`},
    make("div", {class: "row"}, make("span", {class: "title"}, `${c.channel === "whatsapp" ? "WhatsApp" : display(c.channel)}, ${c.account}`),
      make("span", {class: "mark"}, c.state), make("span", {class: "muted"}, `begins with ${display(c.agent)}`)),
    c.detail ? make("p", {class: "detail"}, ...words(c.detail)) : null,
    c.advice ? make("p", {class: "advice"}, ...words(c.advice)) : null,
    c.link ? code(c) : null,
    c.link && c.channel === "whatsapp" ? number(c) : null,
    make("p", {class: "muted"}, [c.since ? `since ${moment(c.since)}` : "", c.owner ? `held by ${c.owner}` : ""].filter(Boolean).join(", ")));
}

// words shows a text with its commands and addresses as such.
function words(text) {
  return (text.charAt(0).toUpperCase() + text.slice(1)).split(/(`[^`]+`|https:\/\/[^\s,]+)/).filter(Boolean).map(part =>
    part.startsWith("`") ? make("code", {}, part.slice(1, -1)) : part.startsWith("https:") ? make("a", {href: part, rel: "noreferrer"}, part) : part);
}

// code is what a phone scans; it is another one every so often.
function code(c) {
  return make("figure", {class: "qr"},
    make("img", {src: `${path(c)}/qr?at=${Date.now()}`, alt: `The code that links ${c.account}`}),
    make("figcaption", {class: "muted"}, "Scan it with the phone: Settings, Linked devices, Link a device. It changes by itself; whoever scans it is in charge of the account, so show it to nobody."));
}

// number is the other way: a code for the phone with a number, to be typed there.
// The form of an account stays the same one, with what is typed into it.
const forms = new Map();

function number(c) {
  if (!forms.has(path(c))) forms.set(path(c), form(c));
  return forms.get(path(c));
}

function form(c) {
  const phone = make("input", {type: "tel", placeholder: "+49 171 1234567", autocomplete: "tel", "aria-label": `Phone number of ${c.account}`});
  const said = make("p", {class: "muted", role: "status"});
  const get = act("Get a code", async () => {
    const {code} = await ask(`${path(c)}/code`, {phone: phone.value});
    said.replaceChildren("On the phone: Settings, Linked devices, Link a device, “Link with phone number instead”. Type ", make("code", {class: "code"}, code),
      " within two minutes. Whoever types it is in charge of the account.");
  });
  phone.addEventListener("keydown", e => { if (e.key === "Enter") get.click(); });
  return make("div", {class: "number"}, make("div", {class: "row"}, make("span", {class: "muted"}, "Or with the phone's number:"), phone, get), said);
}

async function refresh() {
  const connection = document.getElementById("connection");
  try {
    const list = await ask("/api/channels");
    connection.textContent = "";
    if (JSON.stringify(list) === shown) return;
    shown = JSON.stringify(list);
    const at = document.activeElement;
    document.getElementById("channels").replaceChildren(...(list.length ? list.map(account) : [none()]));
    if (at?.isConnected) at.focus();
    for (const c of list) if (!c.link) forms.delete(path(c));
  } catch (error) {
    connection.textContent = error.final ? error.message : "errand is not reachable, trying again…";
  }
}

function none() {
  return make("p", {class: "muted"}, "There are no accounts on platforms. ", make("code", {}, "starter channels add telegram"), " tells how to set one up.");
}

header().then(() => {
  refresh();
  setInterval(refresh, 2000);
}, error => { document.getElementById("connection").textContent = error.message; });
