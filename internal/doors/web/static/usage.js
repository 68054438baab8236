// The page of usage: what model calls have used and cost, by day and by what they were for.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {UsageView} from "./components/usage_view.js";
import {failed, load, reached} from "./stores/account.js";
import {Usage} from "./stores/usage.js";
import {html, render} from "./ui.js";

const usage = new Usage(ask);

async function begin() {
  try {
    await load();
    await usage.load();
    reached();
  } catch (error) {
    failed(error);
    if (!error.final) setTimeout(begin, 2000);
  }
}

begin();

render(html`
  <${Header} />
  <${UsageView} usage=${usage} />
  <${Announcer} />`, document.body);
