// The page of sessions: what was talked about, with whom, and what comes up.

import {Announcer} from "./components/announcer";
import {Dialog} from "./components/dialog";
import {Header} from "./components/header";
import {Notes} from "./components/notes";
import {Reminders} from "./components/reminders";
import {Shown} from "./components/session";
import {SessionFilters} from "./components/session_filters";
import {SessionList} from "./components/session_list";
import {Narrow, Side} from "./components/side";
import {failed, load} from "./stores/account";
import {Sessions} from "./stores/sessions";
import {render} from "./ui";
import {say} from "./words";

const sessions = new Sessions();

function SessionsPage() {
  return (
    <>
      <Header />
      <Side label={say("page.filters")}><SessionFilters sessions={sessions} /></Side>
      <main class="page sessions">
        <section id="list" aria-labelledby="sessions-head">
          <h1 id="sessions-head">{say("page.sessions")}</h1>
          <Narrow><details class="folded"><summary>{say("page.filters")}</summary><SessionFilters sessions={sessions} /></details></Narrow>
          <SessionList sessions={sessions} />
          {sessions.reminders.value && <div id="reminders" class="work-list"><Reminders list={sessions.reminders.value} reload={() => sessions.remind()} chat="main" places /></div>}
          {sessions.notes.value && <Notes list={sessions.notes.value} refresh={() => sessions.note()} />}
        </section>
        <Shown sessions={sessions} />
      </main>
      <Announcer />
      <Dialog />
    </>
  );
}

render(<SessionsPage />, document.body);
load().then(() => sessions.begin()).catch(failed);
