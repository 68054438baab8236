import{a as g}from"./shared/chunk-7GVBZ3GA.js";import{a as w}from"./shared/chunk-P3HCWJKB.js";import{a as $}from"./shared/chunk-UC5YX7VT.js";import{a as f}from"./shared/chunk-ZSOHIUJY.js";import"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as u,i as c,k as i}from"./shared/chunk-4DHKOIDS.js";import{a as m}from"./shared/chunk-KUPQE3KS.js";import"./shared/chunk-56OV5KKZ.js";import{a as r,b as l,e as h,f as p,h as d,k as n,o as t,p as s}from"./shared/chunk-ZOQTP745.js";var y=e=>`/api/channels/${encodeURIComponent(e.channel)}/${encodeURIComponent(e.account)}`;function k({channel:e}){return n`<article class=${`card channel ${e.state.replace(" ","-")}`} data-account=${`${e.channel}/${e.account}`}>
    <div class="row"><span class="title">${e.channel==="whatsapp"?"WhatsApp":i(e.channel)}, ${e.account}</span>
      <span class="mark">${g(e.state)}</span><span class="muted">${t("Agent: {name}",{name:i(e.agent)})}</span></div>
    ${e.detail&&n`<p class="detail">${v(e.detail)}</p>`}
    ${e.advice&&n`<p class="advice">${v(e.advice)}</p>`}
    ${e.link&&n`<${A} channel=${e} />`}
    ${e.link&&e.channel==="whatsapp"&&n`<${L} channel=${e} />`}
    <p class="muted">${[e.since?t("since {time}",{time:u(e.since)}):"",e.owner?t("on the worker {worker}",{worker:e.owner}):""].filter(Boolean).join(", ")}</p>
  </article>`}function v(e){return(e.charAt(0).toUpperCase()+e.slice(1)).split(/(`[^`]+`|https:\/\/[^\s,]+)/).filter(Boolean).map(a=>a.startsWith("`")?n`<code>${a.slice(1,-1)}</code>`:a.startsWith("https:")?n`<a href=${a} rel="noreferrer">${a}</a>`:a)}function A({channel:e}){let a=JSON.stringify(e),o=p(()=>Date.now(),[a]);return n`<figure class="qr">
    <img src=${`${y(e)}/qr?at=${o}`} alt=${t("The code that links {account}",{account:e.account})} />
    <figcaption class="muted">${t("Scan it with the phone: Settings, Linked devices, Link a device. It changes by itself; the person who scans it is in charge of the account, so show it to nobody.")}</figcaption>
  </figure>`}function L({channel:e}){let a=h(),[o,C]=l(""),W=async()=>C((await c(`${y(e)}/code`,{phone:a.current.value})).code);return n`<div class="number">
    <div class="row"><span class="muted">${t("Or with the phone’s number:")}</span>
      <input type="tel" placeholder="+49 171 1234567" autocomplete="tel" aria-label=${t("Phone number of {account}",{account:e.account})} ref=${a} />
      <${$} label=${t("Get a code")} run=${W} /></div>
    ${o&&n`<p class="muted">${s("On the phone: Settings, Linked devices, Link a device, “Link with phone number instead”. Type {code} within two minutes. The person who types it is in charge of the account.",{code:n`<code class="code">${o}</code>`})}</p>`}
  </div>`}var b=d(null);w(async()=>{b.value=await c("/api/channels")},2e3);function S(){let e=b.value;return n`
    <${f} />
    <main class="page">
      <h2>${t("Channels")}</h2>
      <div id="channels" class="cards">
        ${e?.map(a=>n`<${k} key=${`${a.channel}/${a.account}`} channel=${a} />`)}
        ${e?.length===0&&n`<p class="muted">${s("There are no accounts on platforms yet. {command} sets one up.",{command:n`<code>errand channels add telegram</code>`})}</p>`}
      </div>
    </main>
    <${m} />`}r(n`<${S} />`,document.body);
