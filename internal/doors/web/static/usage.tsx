// The page of usage: what model calls have used and cost, by day and by what they were for.

import {isFinal} from "./api";
import {Announcer} from "./components/announcer";
import {Header, SettingsSide} from "./components/header";
import {UsageView} from "./components/usage_view";
import {failed, load, reached} from "./stores/account";
import {Usage} from "./stores/usage";
import {render} from "./ui";

const usage = new Usage();

async function begin() {
  try {
    await load();
    await usage.load();
    reached();
  } catch (error) {
    failed(error);
    if (!isFinal(error)) setTimeout(begin, 2000);
  }
}

begin();

render((
  <>
    <Header />
    <SettingsSide />
    <UsageView usage={usage} />
    <Announcer />
  </>
), document.body);
