// The way in: a token, or a name that somebody who may approves.

import {Announcer} from "./components/announcer.js";
import {AskToBeLetIn, LoggedIn, NotEncrypted, Owner, Pending, ShowToken} from "./components/entrance.js";
import {Entrance} from "./stores/entrance.js";
import {html, render} from "./ui.js";

const entrance = new Entrance();

function Login() {
  const state = entrance.state.value, shut = state !== "approved" && state !== "pending";
  return html`
    <header><h1>errand</h1></header>
    <main class="page login">
      ${state === "approved" && html`<${LoggedIn} entrance=${entrance} />`}
      ${state === "pending" && html`<${Pending} entrance=${entrance} />`}
      ${entrance.result.value && html`<p id="result" class="banner">${entrance.result}</p>`}
      ${!isSecureContext && html`<${NotEncrypted} />`}
      ${shut && html`<${Owner} /><${AskToBeLetIn} entrance=${entrance} /><${ShowToken} entrance=${entrance} />`}
    </main>
    <${Announcer} />`;
}

render(html`<${Login} />`, document.body);
entrance.look();
