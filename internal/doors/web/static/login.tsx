// The way in: a token, or a name that somebody who may approves.

import {Announcer} from "./components/announcer";
import {AskToBeLetIn, LoggedIn, NotEncrypted, Owner, Pending, ShowToken} from "./components/entrance";
import {Entrance} from "./stores/entrance";
import {render} from "./ui";

const entrance = new Entrance();

function Login() {
  const state = entrance.state.value, shut = state !== "approved" && state !== "pending";
  return (
    <>
      <header><h1>errand</h1></header>
      <main class="page login">
        {state === "approved" && <LoggedIn entrance={entrance} />}
        {state === "pending" && <Pending entrance={entrance} />}
        {entrance.result.value && <p id="result" class="banner">{entrance.result}</p>}
        {!isSecureContext && <NotEncrypted />}
        {shut && <><AskToBeLetIn entrance={entrance} /><ShowToken entrance={entrance} /><Owner /></>}
      </main>
      <Announcer />
    </>
  );
}

render(<Login />, document.body);
entrance.look();
