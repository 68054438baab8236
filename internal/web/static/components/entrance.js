// The ways in, each by itself.

import {moment} from "../api.js";
import {html, useState} from "../ui.js";
import {Act} from "./act.js";

export function LoggedIn({entrance}) {
  return html`<section id="in" aria-labelledby="in-head">
    <h2 id="in-head">You are logged in</h2>
    <p>This browser is <strong id="name">${entrance.name}</strong>.</p>
    <p class="choices"><a class="button" href="/">Go to the chat</a> <${Act} label="Log out" name="" run=${() => entrance.leave()} /></p>
  </section>`;
}

export function Pending({entrance}) {
  const asked = entrance.asked.value;
  return html`<section id="pending" aria-labelledby="pending-head">
    <h2 id="pending-head">Waiting to be let in</h2>
    ${asked && html`<p id="code-line">Your code is <strong id="code" class="code">${asked.code}</strong></p>`}
    <p>Tell it to somebody who looks after this errand. They let you in on the page <em>People</em>, with${" "}
      <code>errand users approve CODE</code>, or by writing <code>/approve CODE</code> in their chat. This page goes on to the chat by itself.</p>
    <p id="until" class="muted">${asked && `The code is valid until ${moment(asked.expires)}.`}</p>
    <p><${Act} label="Never mind" name="forget" run=${() => entrance.leave()} /></p>
  </section>`;
}

export function Owner() {
  return html`<section id="owner" aria-labelledby="owner-head">
    <h2 id="owner-head">Is this errand yours?</h2>
    <p>Run <code>go run ./starter open</code> (or <code>errand open</code>) in the folder of the worker, and open the link that it prints.
      The worker prints one too when it starts.</p>
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
    <h2>Or ask to be let in</h2>
    <label for="ask-name">Your name</label>
    <input id="ask-name" name="name" autocomplete="name" maxlength="80" required />
    <button type="submit" disabled=${busy}>Ask</button>
  </form>`;
}

export function ShowToken({entrance}) {
  // Not by the form itself: browsers hide from where a form was sent.
  const {submit} = submitting(({token}) => entrance.token(token));
  return html`<form id="with-token" method="post" action="/login" onSubmit=${submit}>
    <h2>Or show a token</h2>
    <label for="token">A token of yours, the key in <code>data/owner.key</code>, or what <code>ERRAND_TOKEN</code> is set to</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required />
    <button type="submit">Log in</button>
  </form>`;
}
