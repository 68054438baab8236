// Logs a browser in by the link that it was opened with. What makes the link one
// stands after the #: browsers send that nowhere. It is taken out of the address
// at once, and is worth nothing once it was used.

import {Announcer} from "./components/announcer";
import {announce} from "./stores/announcer";
import {render, signal} from "./ui";
import {say, sayWith} from "./words";

const link = location.hash.slice(1);
history.replaceState(null, "", "/open");

const result = signal(say("page.open.opening_errand")), other = signal(""), worn = signal(false);

function tell(text: string) {
  result.value = text;
  if (text) announce(text);
}

async function use() {
  other.value = "";
  try {
    const response = await fetch("/login/link", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({link})});
    if (response.ok) {
      location.replace("/");
      return;
    }
    const answer = await response.json().catch(() => ({}));
    tell(say("page.open.you_not_logged", {reason: answer.error?.message ?? say("page.errand_answered", {status: response.status})}));
    worn.value = true;
  } catch {
    tell(say("page.open.errand_does_not_answer"));
    history.replaceState(null, "", `/open#${link}`);
  }
}

async function begin() {
  const state = await fetch("/login/state").then(response => response.json()).catch(() => ({}));
  if (state.state !== "approved") return use();
  if (!link) return location.replace("/");
  other.value = state.name;
  tell("");
}

function Open() {
  return (
    <>
      <header><h1>errand</h1></header>
      <main class="page login">
        {result.value && <p id="result" class="banner">{result}</p>}
        {other.value && <section id="other" aria-labelledby="other-head">
          <h2 id="other-head">{say("page.you_are_logged_in")}</h2>
          <p>{sayWith("page.open.browser_link_may_somebody", {name: <strong id="name">{other}</strong>})}</p>
          <p class="choices"><a class="button" href="/">{say("page.go_to_the_chat")}</a> <button id="use" type="button" onClick={use}>{say("page.open.log_link_instead")}</button></p>
        </section>}
        {worn.value && <section id="worn" aria-label={say("page.open.another_link")}>
          <p>{sayWith("page.open.link_works_once", {
            command: <code>errand open</code>, short: <code>go run ./starter open</code>})}</p>
          <p class="choices"><a class="button" href="/login.html">{say("page.open.log_in_another_way")}</a></p>
        </section>}
      </main>
      <Announcer />
    </>
  );
}

render(<Open />, document.body);
begin();
