// A small form that makes a token. It is shown until the page is left, and never
// again.

import {ask} from "../api.js";
import {html, useRef, useState} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

const scopes = [["read", () => say("page.new_token.look")], ["chat", () => say("page.new_token.talk_with_agents")],
  ["delegate", () => say("page.new_token.send_agents_tasks_read")],
  ["admin", () => say("page.new_token.all_token_can_do")]];

// made, if it is given, is called when there is another token.
export function NewToken({path, made: whenMade}) {
  const name = useRef(), days = useRef(), form = useRef();
  const [made, setMade] = useState([]);
  const make = async () => {
    const scope = [...form.current.querySelectorAll("[name=scope]:checked")].map(box => box.value).join(" ");
    const {token} = await ask(path, {name: name.current.value.trim(), days: Number(days.current.value) || 0, scope});
    setMade([...made, token]);
    name.current.value = "";
    whenMade?.();
  };
  return html`<details class="new-token" ref=${form}><summary>${say("page.new_token.new_token")}</summary>
    <div class="row">
      <input aria-label=${say("page.new_token.what_it_is_for")} placeholder=${say("page.new_token.purpose_lower")} maxlength="60" ref=${name} />
      <label class="muted"><input aria-label=${say("page.new_token.days_it_is_valid")} type="number" min="0" max="3650" defaultValue="90" ref=${days} /> ${say("page.new_token.days_0_for_good")}</label>
      <span role="group" aria-label=${say("page.new_token.may_do_nothing_chosen")}>${scopes.map(([scope, about]) => html`<label class="muted" title=${about()}>
        <input type="checkbox" name="scope" value=${scope} />${scope}</label>`)}</span>
      <${Act} label=${say("page.new_token.make")} name="small primary" run=${make} />
    </div>
    ${made.map(token => html`<${Secret} key=${token} token=${token} />`)}
  </details>`;
}

function Secret({token}) {
  const [copied, setCopied] = useState(false);
  return html`<p class="secret"><code>${token}</code>
    ${navigator.clipboard && html`<${Act} label=${say(copied ? "page.copied" : "page.copy")} run=${async () => {
      await navigator.clipboard.writeText(token);
      setCopied(true);
    }} />`}
    <span class="muted">${say("page.new_token.shown_only_once")}</span></p>`;
}
