// The ways in, each by itself.

import {moment} from "../api.js";
import {html, useState} from "../ui.js";
import {say, sayWith} from "../words.js";
import {Act} from "./act.js";

export function LoggedIn({entrance}) {
  return html`<section id="in" aria-labelledby="in-head">
    <h2 id="in-head">${say("You are logged in")}</h2>
    <p>${sayWith("This browser is {name}.", {name: html`<strong id="name">${entrance.name}</strong>`})}</p>
    <p class="choices"><a class="button" href="/">${say("Go to the chat")}</a> <${Act} label=${say("Log out")} name="" run=${() => entrance.leave()} /></p>
  </section>`;
}

export function Pending({entrance}) {
  const asked = entrance.asked.value;
  return html`<section id="pending" aria-labelledby="pending-head">
    <h2 id="pending-head">${say("Waiting for approval")}</h2>
    ${asked && html`<p id="code-line">${sayWith("Your code is {code}", {code: html`<strong id="code" class="code">${asked.code}</strong>`})}</p>`}
    <p>${sayWith("Give it to an admin of this errand. They approve it on the page {page}, with {command}, or by writing {chat} in their chat. This page goes on to the chat by itself.", {
      page: html`<em>${say("People")}</em>`, command: html`<code>errand users approve CODE</code>`, chat: html`<code>/approve CODE</code>`})}</p>
    <p id="until" class="muted">${asked && say("The code is valid until {time}.", {time: moment(asked.expires)})}</p>
    <p><${Act} label=${say("Cancel request")} name="forget" run=${() => entrance.leave()} /></p>
  </section>`;
}

// NotEncrypted warns where browsers send everything as it is: over plain HTTP, from another machine.
export function NotEncrypted() {
  return html`<p id="plain" class="banner">${sayWith("This connection is not encrypted: others on the network can read your token and your chats. Use an address that begins with {scheme}, through a reverse proxy, or an SSH tunnel to the machine where errand runs.", {
    scheme: html`<code>https</code>`})}</p>`;
}

export function Owner() {
  return html`<section id="owner" aria-labelledby="owner-head">
    <h2 id="owner-head">${say("Is this errand yours?")}</h2>
    <p>${sayWith("Run {command} (or {short}) in the folder of the worker, and open the link that it prints. The worker prints one too when it starts.", {
      command: html`<code>errand open</code>`, short: html`<code>go run ./starter open</code>`})}</p>
  </section>`;
}

// submitting has a form do something, once at a time.
function submitting(run) {
  const [busy, setBusy] = useState(false);
  return {busy, submit: async event => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target));
    setBusy(true);
    await run(fields);
    setBusy(false);
  }};
}

export function AskToBeLetIn({entrance}) {
  const {busy, submit} = submitting(({name}) => entrance.ask(name.trim()));
  return html`<form id="ask" onSubmit=${submit}>
    <h2>${say("Or request access")}</h2>
    <label for="ask-name">${say("Your name")}</label>
    <input id="ask-name" name="name" autocomplete="name" maxlength="80" required />
    <button type="submit" disabled=${busy}>${say("Request")}</button>
  </form>`;
}

export function ShowToken({entrance}) {
  // Not by the form itself: browsers hide from where a form was sent.
  const {submit} = submitting(({token}) => entrance.token(token));
  return html`<form id="with-token" method="post" action="/login" onSubmit=${submit}>
    <h2>${say("Or sign in with a token")}</h2>
    <label for="token">${sayWith("A token of yours, the key in {file}, or what {variable} is set to", {file: html`<code>data/owner.key</code>`, variable: html`<code>ERRAND_TOKEN</code>`})}</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required />
    <button type="submit">${say("Log in")}</button>
  </form>`;
}
