// The way in: a token, or a name that somebody who may approves.

import {ask, moment} from "./api.js";

const $ = id => document.getElementById(id);

let asked = JSON.parse(localStorage.getItem("asked") ?? "null"), timer;

function show(state, answer) {
  $("in").hidden = state !== "approved";
  $("pending").hidden = state !== "pending";
  $("ask").hidden = $("with-token").hidden = $("owner").hidden = state === "approved" || state === "pending";
  if (state === "approved") $("name").textContent = answer.name;
  if (state === "pending") {
    $("code-line").hidden = !asked;
    $("code").textContent = asked?.code ?? "";
    $("until").textContent = asked ? `The code is valid until ${moment(asked.expires)}.` : "";
  }
  if (state === "denied") say("You were not let in. You can ask again later, or show a token.");
  if (state === "expired") say("Nobody answered in time, or the login has ended. You can ask again.");
}

function say(text) {
  $("result").textContent = text;
  $("result").hidden = !text;
}

let before = "";
async function look() {
  clearTimeout(timer);
  let wait = 2000;
  try {
    const answer = await ask("/login/state");
    if (before === "pending" && answer.state === "approved") {
      localStorage.removeItem("asked");
      location.assign("/");
      return;
    }
    before = answer.state;
    show(answer.state, answer);
    if (answer.state !== "pending") return;
  } catch {
    wait = 5000; // errand may be starting again
  }
  timer = setTimeout(look, wait);
}

$("ask").addEventListener("submit", async event => {
  event.preventDefault();
  say("");
  const button = event.target.querySelector("button");
  button.disabled = true;
  try {
    asked = await ask("/login/ask", {name: $("ask-name").value.trim()});
    localStorage.setItem("asked", JSON.stringify(asked));
    before = "";
    await look();
  } catch (error) {
    say(error.message);
  }
  button.disabled = false;
});

$("logout").addEventListener("click", async () => {
  await ask("/logout", {});
  before = "";
  look();
});
for (const button of document.querySelectorAll(".forget")) {
  button.addEventListener("click", async () => {
    await ask("/logout", {});
    localStorage.removeItem("asked");
    asked = null;
    look();
  });
}

// Not by the form itself: browsers hide from where a form was sent.
$("with-token").addEventListener("submit", async event => {
  event.preventDefault();
  say("");
  try {
    const response = await fetch("/login", {method: "POST", body: new URLSearchParams({token: $("token").value})});
    if (response.ok) {
      location.assign("/");
      return;
    }
    const answer = await response.json().catch(() => ({}));
    say(response.status === 401 ? wrong : answer.error?.message ?? `errand answered ${response.status}`);
  } catch {
    say("errand does not answer. Is it running?");
  }
});

const wrong = "That token is not valid: it is wrong, has expired, or was revoked.";
if (location.search === "?wrong") {
  say(wrong);
  history.replaceState(null, "", "/login.html");
}
look();
