// A small form that makes a token. It is shown until the page is left, and never
// again.

import {ask} from "../api.js";
import {personPath} from "../stores/people.js";
import {html, useRef, useState} from "../ui.js";
import {Act} from "./act.js";

export function NewToken({person}) {
  const name = useRef(), days = useRef();
  const [made, setMade] = useState([]);
  const make = async () => {
    const {token} = await ask(`${personPath(person)}/tokens`, {name: name.current.value.trim(), days: Number(days.current.value) || 0});
    setMade([...made, token]);
    name.current.value = "";
  };
  return html`<details class="new-token"><summary>New token</summary>
    <div class="row">
      <input aria-label="What it is for" placeholder="what it is for" maxlength="60" ref=${name} />
      <label class="muted"><input aria-label="Days it is valid" type="number" min="0" max="3650" defaultValue="90" ref=${days} /> days (0: for good)</label>
      <${Act} label="Make" name="small primary" run=${make} />
    </div>
    ${made.map(token => html`<${Secret} key=${token} token=${token} />`)}
  </details>`;
}

function Secret({token}) {
  const [copied, setCopied] = useState(false);
  return html`<p class="secret"><code>${token}</code>
    ${navigator.clipboard && html`<${Act} label=${copied ? "Copied" : "Copy"} run=${async () => {
      await navigator.clipboard.writeText(token);
      setCopied(true);
    }} />`}
    <span class="muted">This is shown only once.</span></p>`;
}
