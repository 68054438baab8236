// The page of models: what is known about each, and a button that tries it.

import type * as API from "./api_types";
import {ask, moment} from "./api";
import {Act} from "./components/act";
import {Announcer} from "./components/announcer";
import {Header, SettingsSide} from "./components/header";
import {number} from "./numbers";
import {about} from "./stores/account";
import {poll} from "./stores/poll";
import {render} from "./ui";
import {say} from "./words";

poll(look, 10000);

async function look() { about.value = await ask<API.AboutOut>("/api/about"); }

async function tryOut(model: string) {
  await ask(`/api/models/check?model=${encodeURIComponent(model)}`, {});
  await look();
}

function ModelsPage() {
  const {models = [], demo} = about.value;
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.header.models")}</h1>
        {demo && <p class="muted">{say("page.models.only_demonstration")}</p>}
        <div id="models" class="cards">{models.map(m => <Model key={m.model} state={m} />)}</div>
      </main>
      <Announcer />
    </>
  );
}

function Model({state: {model, name, provider, vision, context_tokens: room, price, ok, says, checked}}: {state: API.ModelState}) {
  return <article class={`card model ${ok ? "ok" : "down"}`} data-model={model}>
    <div class="row"><span class="title">{name || model}</span><span class="muted">{model}</span>
      <Act label={say("page.models.try")} run={() => tryOut(model)} describe={say("page.models.try_model", {model})} end={true} /></div>
    <p class="detail" dir="auto">{says}{checked && <> <span class="muted">{moment(checked)}</span></>}</p>
    <p class="muted">{[provider, !checked && vision && say("page.models.sees_pictures"), room && say("page.models.context", {n: number(room)}), price].filter(Boolean).join(", ")}</p>
  </article>;
}

render(<ModelsPage />, document.body);
