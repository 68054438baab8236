// What everybody who writes here to an agent has to know of errand just now: of models,
// those that the agent thinks with.

import {about} from "../stores/account.js";
import {html} from "../ui.js";

export function Banners({agent}) {
  const {demo, paused, models = []} = about.value;
  const dead = models.filter(model => !model.ok && model.agents?.includes(agent));
  if (!demo && !paused && !dead.length) return null;
  return html`<section aria-label="About this errand">
    ${demo && html`<p id="demo" class="banner">The offline demonstration model answers. Set <code>OPENAI_BASE_URL</code>, <code>OPENAI_API_KEY</code> and <code>ERRAND_MODEL</code> for a real one.</p>`}
    ${paused && html`<p id="paused" class="banner">errand is paused: messages are kept and answered after <code>errand resume</code>.</p>`}
    ${dead.length > 0 && html`<div id="dead-model" class="banner trouble">${dead.map(({name, model, says}) => html`<div key=${model}>${name || model}: ${says}</div>`)}</div>`}
  </section>`;
}
