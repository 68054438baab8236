// What everybody who writes here to an agent has to know of errand just now: of models,
// those that the agent thinks with.

import {about} from "../stores/account";
import {say, sayWith} from "../words";

export function Banners({agent}: {agent?: string}) {
  const {demo, paused, models = [], backup} = about.value;
  const dead = models.filter(model => !model.ok && agent !== undefined && model.agents?.includes(agent));
  if (!demo && !paused && !dead.length && !backup?.problem) return null;
  return <section aria-label={say("page.banners.about_this_errand")}>
    {demo && <p id="demo" class="banner">{sayWith("page.banners.offline_demonstration_model_answers", {command: <code>errand init</code>})}</p>}
    {paused && <p id="paused" class="banner">{sayWith("page.banners.errand_paused_messages_kept", {command: <code>errand resume</code>})}</p>}
    {dead.length > 0 && <div id="dead-model" class="banner trouble">{dead.map(({name, model, says}) => <div key={model}>{name || model}: {says}</div>)}</div>}
    {backup?.problem && <p id="failed-backup" class="banner trouble">{say("page.banners.backup_failed", {reason: backup.problem})}</p>}
  </section>;
}
