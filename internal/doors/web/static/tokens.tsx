// The page of one's own tokens: by what programs and browsers act for somebody.

import {Announcer} from "./components/announcer";
import {Dialog} from "./components/dialog";
import {Header, SettingsSide} from "./components/header";
import {NewToken} from "./components/new_token";
import {TokenList} from "./components/token_list";
import {Tokens} from "./stores/tokens";
import {render} from "./ui";
import {say} from "./words";

const tokens = new Tokens();

function TokensPage() {
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.tokens.your_tokens")}</h1>
        <p class="muted">{say("page.tokens.program_shows_one_acts")}</p>
        <NewToken path="/api/me/tokens" made={tokens.refresh} />
        {tokens.read.value && !tokens.list.value.length && <p class="muted">{say("page.tokens.none")}</p>}
        <TokenList tokens={tokens.list.value} revoke={t => tokens.revoke(t)} />
      </main>
      <Announcer />
      <Dialog />
    </>
  );
}

render(<TokensPage />, document.body);
