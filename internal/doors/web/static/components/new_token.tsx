// A small form that makes a token. It is shown until the page is left, and never
// again.

import type * as API from "../api_types";
import {ask} from "../api";
import {useRef, useState} from "../ui";
import {say} from "../words";
import {Act} from "./act";

const scopes: [string, () => string][] = [["read", () => say("page.new_token.look")], ["chat", () => say("page.new_token.talk_with_agents")],
  ["delegate", () => say("page.new_token.send_agents_tasks_read")],
  ["admin", () => say("page.new_token.all_token_can_do")]];

// made, if it is given, is called when there is another token.
export function NewToken({path, made: whenMade}: {path: string; made?: () => void}) {
  const name = useRef<HTMLInputElement>(null!), days = useRef<HTMLInputElement>(null!), form = useRef<HTMLDetailsElement>(null!);
  const [made, setMade] = useState<string[]>([]);
  const make = async () => {
    const scope = [...form.current.querySelectorAll<HTMLInputElement>("[name=scope]:checked")].map(box => box.value).join(" ");
    const {token} = await ask<API.TokenOut>(path, {name: name.current.value.trim(), days: Number(days.current.value) || 0, scope});
    setMade([...made, token]);
    name.current.value = "";
    whenMade?.();
  };
  return <details class="new-token" ref={form}><summary>{say("page.new_token.new_token")}</summary>
    <div class="row">
      <input aria-label={say("page.new_token.what_it_is_for")} placeholder={say("page.new_token.purpose_lower")} maxlength={60} ref={name} />
      <label class="muted"><input aria-label={say("page.new_token.days_it_is_valid")} type="number" min="0" max="3650" defaultValue="90" ref={days} /> {say("page.new_token.days_0_for_good")}</label>
      <span role="group" aria-label={say("page.new_token.may_do_nothing_chosen")}>{scopes.map(([scope, about]) => <label class="muted" title={about()}>
        <input type="checkbox" name="scope" value={scope} />{scope}</label>)}</span>
      <Act label={say("page.new_token.make")} name="small primary" run={make} />
    </div>
    {made.map(token => <Secret key={token} token={token} />)}
  </details>;
}

function Secret({token}: {token: string}) {
  const [copied, setCopied] = useState(false);
  return <p class="secret"><code>{token}</code>
    {navigator.clipboard && <Act label={say(copied ? "page.copied" : "page.copy")} run={async () => {
      await navigator.clipboard.writeText(token);
      setCopied(true);
    }} />}
    <span class="muted">{say("page.new_token.shown_only_once")}</span></p>;
}
