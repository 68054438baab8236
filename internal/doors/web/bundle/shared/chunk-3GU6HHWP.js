import{c as o,e as m}from"./chunk-XGNJRG7X.js";import{a as p}from"./chunk-7OS4QIR7.js";import{a as n}from"./chunk-4G2L4PHD.js";import{k as e,p as s}from"./chunk-V2GEF5NQ.js";function h({question:a,answer:t,called:r}){return e`<div class="asked">
    <div class="asked-text"><${p} text=${a.text} /></div>
    ${m(a)?e`<${o} question=${a} answer=${t} />`:e`<p class="muted">${s("page.asked_here.it_asks",{name:r(a.person)})}</p>`}
  </div>`}function v({task:{id:a,origin:t},title:r=t.chat}){return t.chat?t.channel!=="web"?e`<span dir="auto">${t.channel}</span>`:t.person!==n.value?.id?e`<span dir="auto">${t.chat}</span>`:e`<a href=${`/?chat=${encodeURIComponent(t.chat)}#${a}`} dir="auto" title=${r}>${r}</a>`:e`<span class="muted">${s("page.chat_link.no_chat")}</span>`}export{h as a,v as b};
