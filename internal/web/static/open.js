// Logs a browser in by the link that it was opened with. What makes the link one
// stands after the #: browsers send that nowhere. It is taken out of the address
// at once, and is worth nothing once it was used.

const $ = id => document.getElementById(id);
const link = location.hash.slice(1);
history.replaceState(null, "", "/open");

function say(text) {
  $("result").textContent = text;
  $("result").hidden = !text;
}

async function use() {
  $("other").hidden = true;
  try {
    const response = await fetch("/login/link", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({link})});
    if (response.ok) {
      location.replace("/");
      return;
    }
    const answer = await response.json().catch(() => ({}));
    say(`You are not logged in: ${answer.error?.message ?? `errand answered ${response.status}`}.`);
    $("worn").hidden = false;
  } catch {
    say("errand does not answer. Is it running? Reload this page to try again.");
    history.replaceState(null, "", `/open#${link}`);
  }
}

async function open() {
  const state = await fetch("/login/state").then(response => response.json()).catch(() => ({}));
  if (state.state !== "approved") return use();
  if (!link) return location.replace("/");
  $("name").textContent = state.name;
  $("other").hidden = false;
  say("");
}

$("use").addEventListener("click", use);
open();
