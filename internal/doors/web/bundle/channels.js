import{a as _}from"./shared/chunk-ZPTCSBE3.js";import{a as g}from"./shared/chunk-TWJSX7ZU.js";import{a as u}from"./shared/chunk-6X5TK3MG.js";import{a as f}from"./shared/chunk-VBEITUWX.js";import"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as $,i as c,k as l}from"./shared/chunk-ZSYFMEBJ.js";import{a as m}from"./shared/chunk-B7IOUNRY.js";import"./shared/chunk-BGZJLJBS.js";import{a as r,b as i,e as p,f as h,h as d,k as n,p as t,q as s}from"./shared/chunk-V2GEF5NQ.js";var w=e=>`/api/channels/${encodeURIComponent(e.channel)}/${encodeURIComponent(e.account)}`;function k({channel:e}){return n`<article class=${`card channel ${e.state.replace(" ","-")}`} data-account=${`${e.channel}/${e.account}`}>
    <div class="row"><span class="title">${e.channel==="whatsapp"?"WhatsApp":l(e.channel)}, ${e.account}</span>
      <span class="mark">${_(e.state)}</span><span class="muted">${t("page.channel.agent",{name:l(e.agent)})}</span></div>
    ${e.detail&&n`<p class="detail">${v(e.detail)}</p>`}
    ${e.advice&&n`<p class="advice">${v(e.advice)}</p>`}
    ${e.link&&n`<${W} channel=${e} />`}
    ${e.link&&e.channel==="whatsapp"&&n`<${A} channel=${e} />`}
    <p class="muted">${[e.since?t("page.since_time",{time:$(e.since)}):"",e.owner?t("page.channel.on_the_worker",{worker:e.owner}):""].filter(Boolean).join(", ")}</p>
  </article>`}function v(e){return(e.charAt(0).toUpperCase()+e.slice(1)).split(/(`[^`]+`|https:\/\/[^\s,]+)/).filter(Boolean).map(a=>a.startsWith("`")?n`<code>${a.slice(1,-1)}</code>`:a.startsWith("https:")?n`<a href=${a} rel="noreferrer">${a}</a>`:a)}function W({channel:e}){let a=JSON.stringify(e),o=h(()=>Date.now(),[a]);return n`<figure class="qr">
    <img src=${`${w(e)}/qr?at=${o}`} alt=${t("page.channel.the_code_that_links",{account:e.account})} />
    <figcaption class="muted">${t("page.channel.scan_phone_settings_linked")}</figcaption>
  </figure>`}function A({channel:e}){let a=p(),[o,C]=i(""),b=async()=>C((await c(`${w(e)}/code`,{phone:a.current.value})).code);return n`<div class="number">
    <div class="row"><span class="muted">${t("page.channel.or_phones_number")}</span>
      <input type="tel" placeholder="+49 171 1234567" autocomplete="tel" aria-label=${t("page.channel.phone_number_of",{account:e.account})} ref=${a} />
      <${u} label=${t("page.channel.get_a_code")} run=${b} /></div>
    ${o&&n`<p class="muted">${s("page.channel.phone_settings_linked_devices",{code:n`<code class="code">${o}</code>`})}</p>`}
  </div>`}var y=d(null);g(async()=>{y.value=await c("/api/channels")},2e3);function R(){let e=y.value;return n`
    <${f} />
    <main class="page">
      <h2>${t("page.channels")}</h2>
      <div id="channels" class="cards">
        ${e?.map(a=>n`<${k} key=${`${a.channel}/${a.account}`} channel=${a} />`)}
        ${e?.length===0&&n`<p class="muted">${s("page.channels.there_no_accounts_platforms",{command:n`<code>errand channels add telegram</code>`})}</p>`}
      </div>
    </main>
    <${m} />`}r(n`<${R} />`,document.body);
