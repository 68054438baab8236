// The ways in, each by itself.

import {moment} from "../api";
import type {Entrance} from "../stores/entrance";
import {useState} from "../ui";
import {say, sayWith} from "../words";
import {Act} from "./act";

export function LoggedIn({entrance}: {entrance: Entrance}) {
  return <section id="in" aria-labelledby="in-head">
    <h2 id="in-head">{say("page.you_are_logged_in")}</h2>
    <p>{sayWith("page.entrance.this_browser_is", {name: <strong id="name">{entrance.name}</strong>})}</p>
    <p class="choices"><a class="button" href="/">{say("page.go_to_the_chat")}</a> <Act label={say("page.log_out")} name="" run={() => entrance.leave()} /></p>
  </section>;
}

export function Pending({entrance}: {entrance: Entrance}) {
  const asked = entrance.asked.value;
  return <section id="pending" aria-labelledby="pending-head">
    <h2 id="pending-head">{say("page.entrance.waiting_for_approval")}</h2>
    {asked && <p id="code-line">{sayWith("page.entrance.your_code_is", {code: <strong id="code" class="code">{asked.code}</strong>})}</p>}
    <p>{sayWith("page.entrance.give_admin_errand_they", {
      page: <em>{say("page.people")}</em>, command: <code>errand users approve CODE</code>, chat: <code>/approve CODE</code>})}</p>
    <p id="until" class="muted">{asked && say("page.entrance.code_valid_until", {time: moment(asked.expires)})}</p>
    <p><Act label={say("page.entrance.cancel_request")} name="forget" run={() => entrance.leave()} /></p>
  </section>;
}

// NotEncrypted warns where browsers send everything as it is: over plain HTTP, from another machine.
export function NotEncrypted() {
  return <p id="plain" class="banner">{sayWith("page.entrance.connection_not_encrypted_others", {
    scheme: <code>https</code>})}</p>;
}

export function Owner() {
  return <section id="owner" aria-labelledby="owner-head">
    <h2 id="owner-head">{say("page.entrance.is_this_errand_yours")}</h2>
    <p>{sayWith("page.entrance.run_or_folder_worker", {
      command: <code>errand open</code>, short: <code>go run ./starter open</code>})}</p>
  </section>;
}

// submitting has a form do something, once at a time.
function submitting(run: (fields: Record<string, string>) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  return {busy, submit: async (event: Event & {currentTarget: HTMLFormElement}) => {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]));
    setBusy(true);
    await run(fields);
    setBusy(false);
  }};
}

export function AskToBeLetIn({entrance}: {entrance: Entrance}) {
  const {busy, submit} = submitting(({name}) => entrance.ask(name.trim()));
  return <form id="ask" onSubmit={submit}>
    <h2>{say("page.entrance.request_access")}</h2>
    <label for="ask-name">{say("page.entrance.your_name")}</label>
    <input id="ask-name" name="name" autocomplete="name" maxlength={80} required />
    <button type="submit" disabled={busy}>{say("page.entrance.request")}</button>
  </form>;
}

export function ShowToken({entrance}: {entrance: Entrance}) {
  // Not by the form itself: browsers hide from where a form was sent.
  const {submit} = submitting(({token}) => entrance.token(token));
  return <form id="with-token" method="post" action="/login" onSubmit={submit}>
    <h2>{say("page.entrance.or_sign_token")}</h2>
    <label for="token">{sayWith("page.entrance.token_yours_key_or", {file: <code>data/owner.key</code>, variable: <code>ERRAND_TOKEN</code>})}</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required />
    <button type="submit">{say("page.entrance.log_in")}</button>
  </form>;
}
