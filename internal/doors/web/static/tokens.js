// The page of one's own tokens: by what programs and browsers act for somebody.

import {Announcer} from "./components/announcer.js";
import {Dialog} from "./components/dialog.js";
import {Header} from "./components/header.js";
import {NewToken} from "./components/new_token.js";
import {TokenList} from "./components/token_list.js";
import {Tokens} from "./stores/tokens.js";
import {html, render} from "./ui.js";
import {say} from "./words.js";

const tokens = new Tokens();

function TokensPage() {
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.tokens.your_tokens")}</h2>
      <p class="muted">${say("page.tokens.program_shows_one_acts")}</p>
      <${NewToken} path="/api/me/tokens" made=${tokens.refresh} />
      <${TokenList} tokens=${tokens.list.value} revoke=${t => tokens.revoke(t)} />
    </main>
    <${Announcer} />
    <${Dialog} />`;
}

render(html`<${TokensPage} />`, document.body);
