// What everybody who writes here to an agent has to know of errand just now: of models,
// those that the agent thinks with.

import {about} from "../stores/account.js";
import {html} from "../ui.js";
import {say, sayWith} from "../words.js";

export function Banners({agent}) {
  const {demo, paused, models = [], backup} = about.value;
  const dead = models.filter(model => !model.ok && model.agents?.includes(agent));
  if (!demo && !paused && !dead.length && !backup?.problem) return null;
  return html`<section aria-label=${say("page.banners.about_this_errand")}>
    ${demo && html`<p id="demo" class="banner">${sayWith("page.banners.offline_demonstration_model_answers", {command: html`<code>errand init</code>`})}</p>`}
    ${paused && html`<p id="paused" class="banner">${sayWith("page.banners.errand_paused_messages_kept", {command: html`<code>errand resume</code>`})}</p>`}
    ${dead.length > 0 && html`<div id="dead-model" class="banner trouble">${dead.map(({name, model, says}) => html`<div key=${model}>${name || model}: ${says}</div>`)}</div>`}
    ${backup?.problem && html`<p id="failed-backup" class="banner trouble">${say("page.banners.backup_failed", {reason: backup.problem})}</p>`}
  </section>`;
}
