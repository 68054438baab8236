// A small form that makes a token. It is shown until the page is left, and never
// again.

import {ask} from "../api.js";
import {html, useRef, useState} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

const scopes = [["read", () => say("look")], ["chat", () => say("talk with agents")],
  ["delegate", () => say("send agents on tasks, read files of your conversations, answer your questions")],
  ["admin", () => say("all that a token can do")]];

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
  return html`<details class="new-token" ref=${form}><summary>${say("New token")}</summary>
    <div class="row">
      <input aria-label=${say("What it is for")} placeholder=${say("what it is for")} maxlength="60" ref=${name} />
      <label class="muted"><input aria-label=${say("Days it is valid")} type="number" min="0" max="3650" defaultValue="90" ref=${days} /> ${say("days (0: for good)")}</label>
      <span role="group" aria-label=${say("What it may do; nothing chosen: all that its person may")}>${scopes.map(([scope, about]) => html`<label class="muted" title=${about()}>
        <input type="checkbox" name="scope" value=${scope} />${scope}</label>`)}</span>
      <${Act} label=${say("Make")} name="small primary" run=${make} />
    </div>
    ${made.map(token => html`<${Secret} key=${token} token=${token} />`)}
  </details>`;
}

function Secret({token}) {
  const [copied, setCopied] = useState(false);
  return html`<p class="secret"><code>${token}</code>
    ${navigator.clipboard && html`<${Act} label=${say(copied ? "Copied" : "Copy")} run=${async () => {
      await navigator.clipboard.writeText(token);
      setCopied(true);
    }} />`}
    <span class="muted">${say("This is shown only once.")}</span></p>`;
}
