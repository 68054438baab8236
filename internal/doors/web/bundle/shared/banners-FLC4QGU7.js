import{b as i}from"./chunk-4G2L4PHD.js";import"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{k as e,p as t,q as r}from"./chunk-V2GEF5NQ.js";function $({agent:m}){let{demo:s,paused:d,models:l=[]}=i.value,a=l.filter(n=>!n.ok&&n.agents?.includes(m));return!s&&!d&&!a.length?null:e`<section aria-label=${t("page.banners.about_this_errand")}>
    ${s&&e`<p id="demo" class="banner">${r("page.banners.offline_demonstration_model_answers",{command:e`<code>errand init</code>`})}</p>`}
    ${d&&e`<p id="paused" class="banner">${r("page.banners.errand_paused_messages_kept",{command:e`<code>errand resume</code>`})}</p>`}
    ${a.length>0&&e`<div id="dead-model" class="banner trouble">${a.map(({name:n,model:o,says:p})=>e`<div key=${o}>${n||o}: ${p}</div>`)}</div>`}
  </section>`}export{$ as Banners};
