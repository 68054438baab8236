// Being told by the browser of what comes while one looks at something else: offered when
// an agent is first sent off, and to be changed in the settings.

import {terminal} from "../api.js";
import {allowed, can, want, wanted} from "../stores/news.js";
import {html, useState} from "../ui.js";
import {language, say} from "../words.js";
import {Act} from "./act.js";

export function NotifyOffer({conversation}) {
  const atWork = conversation.entries.value.some(({kind, id}) => {
    const task = kind === "task" && conversation.tasks.get(id).value;
    return task && !terminal(task.state);
  });
  const [due, setDue] = useState(false);
  if (atWork && !due) setDue(true); // it stays until it is answered
  if (!can || !due || wanted.value || allowed.value !== "default") return null;
  const focus = () => document.getElementById("text").focus();
  return html`<section id="notify" class="notify" lang=${language} aria-label=${say("Notifications")}>
    <span>${say("This may take a while. Shall the browser tell you when a result is there, also while you look at something else?")}</span>
    <${Act} label=${say("Tell me")} run=${() => want("yes").then(focus)} />
    <${Act} label=${say("No")} run=${() => want("no").then(focus)} />
  </section>`;
}

export function NotifySettings() {
  if (!can) return null;
  const yes = ["yes", "words"].includes(wanted.value) && allowed.value === "granted";
  return html`<h3>${say("Notifications")}</h3>
    ${allowed.value === "denied" ? html`<p class="muted">${say("This browser does not allow them for this page.")}</p>` : html`
      <label class="check"><input type="checkbox" checked=${yes} onChange=${event => want(event.target.checked ? "yes" : "no")} /> ${say("Tell me of results that come while I look at something else")}</label>
      <label class="check"><input type="checkbox" checked=${wanted.value === "words" && yes} disabled=${!yes} onChange=${event => want(event.target.checked ? "words" : "yes")} /> ${say("With what they say")}</label>`}`;
}
