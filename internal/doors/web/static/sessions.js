// The page of sessions: what was talked about, with whom, and what comes up.

import {Announcer} from "./components/announcer.js";
import {Dialog} from "./components/dialog.js";
import {Header} from "./components/header.js";
import {Notes} from "./components/notes.js";
import {Reminders} from "./components/reminders.js";
import {Shown} from "./components/session.js";
import {SessionFilters} from "./components/session_filters.js";
import {SessionList} from "./components/session_list.js";
import {failed, load} from "./stores/account.js";
import {Sessions} from "./stores/sessions.js";
import {html, render} from "./ui.js";
import {say} from "./words.js";

const sessions = new Sessions();

function SessionsPage() {
  return html`
    <${Header} />
    <main class="page sessions">
      <section id="list" aria-labelledby="sessions-head">
        <h2 id="sessions-head">${say("page.sessions")}</h2>
        <${SessionFilters} sessions=${sessions} />
        <${SessionList} sessions=${sessions} />
        ${sessions.reminders.value && html`<${Reminders} list=${sessions.reminders.value} refresh=${() => sessions.remind()} />`}
        ${sessions.notes.value && html`<${Notes} list=${sessions.notes.value} refresh=${() => sessions.note()} />`}
      </section>
      <${Shown} sessions=${sessions} />
    </main>
    <${Announcer} />
    <${Dialog} />`;
}

render(html`<${SessionsPage} />`, document.body);
load().then(() => sessions.begin()).catch(failed);
