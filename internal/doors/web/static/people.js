// The page of people: who asks to be let in, who is in, who was turned away.

import {Announcer} from "./components/announcer.js";
import {Dialog} from "./components/dialog.js";
import {Header} from "./components/header.js";
import {Approve, Pairings} from "./components/pairings.js";
import {Person} from "./components/person.js";
import {Refusals} from "./components/refusals.js";
import {People} from "./stores/people.js";
import {html, render} from "./ui.js";
import {say} from "./words.js";

const people = new People();

function PeoplePage() {
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.people.requests_for_access")}</h2>
      <${Approve} people=${people} />
      <p class="muted">${say("page.people.anybody_can_call_themselves")}</p>
      <${Pairings} people=${people} />
      <h2>${say("page.people")}</h2>
      <div id="people" class="cards">${people.people.value.map(p => html`<${Person} key=${p.id} person=${p} people=${people} />`)}</div>
      <h2>${say("page.people.denied")}</h2>
      <${Refusals} list=${people.refusals.value} />
    </main>
    <${Announcer} />
    <${Dialog} />`;
}

render(html`<${PeoplePage} />`, document.body);
