import{b as p}from"./chunk-4G2L4PHD.js";import"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{k as e,p as s,q as o}from"./chunk-V2GEF5NQ.js";function f({agent:l}){let{demo:d,paused:i,models:m=[],backup:n}=p.value,r=m.filter(a=>!a.ok&&a.agents?.includes(l));return!d&&!i&&!r.length&&!n?.problem?null:e`<section aria-label=${s("page.banners.about_this_errand")}>
    ${d&&e`<p id="demo" class="banner">${o("page.banners.offline_demonstration_model_answers",{command:e`<code>errand init</code>`})}</p>`}
    ${i&&e`<p id="paused" class="banner">${o("page.banners.errand_paused_messages_kept",{command:e`<code>errand resume</code>`})}</p>`}
    ${r.length>0&&e`<div id="dead-model" class="banner trouble">${r.map(({name:a,model:t,says:b})=>e`<div key=${t}>${a||t}: ${b}</div>`)}</div>`}
    ${n?.problem&&e`<p id="failed-backup" class="banner trouble">${s("page.banners.backup_failed",{reason:n.problem})}</p>`}
  </section>`}export{f as Banners};
