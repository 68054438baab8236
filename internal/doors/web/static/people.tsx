// The page of people: who asks to be let in, who is in, who was turned away.

import {Announcer} from "./components/announcer";
import {Dialog} from "./components/dialog";
import {Header, SettingsSide} from "./components/header";
import {Approve, Pairings} from "./components/pairings";
import {Person} from "./components/person";
import {Refusals} from "./components/refusals";
import {People} from "./stores/people";
import {render} from "./ui";
import {say} from "./words";

const people = new People();

function PeoplePage() {
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.people")}</h1>
        <h2>{say("page.people.requests_for_access")}</h2>
        <Approve people={people} />
        <p class="muted">{say("page.people.anybody_can_call_themselves")}</p>
        <Pairings people={people} />
        <h2>{say("page.people.let_in")}</h2>
        <div id="people" class="cards">{people.people.value.map(p => <Person key={p.id} person={p} people={people} />)}</div>
        <h2>{say("page.people.denied")}</h2>
        <Refusals list={people.refusals.value} />
      </main>
      <Announcer />
      <Dialog />
    </>
  );
}

render(<PeoplePage />, document.body);
