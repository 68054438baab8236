import{c as m,e as o}from"./chunk-5FTOOB6N.js";import{a as p}from"./chunk-GVKRUO7B.js";import{a as n}from"./chunk-7ANT74VX.js";import{k as e,o as s}from"./chunk-ZOQTP745.js";function h({question:a,answer:t,called:r}){return e`<div class="asked">
    <div class="asked-text"><${p} text=${a.text} /></div>
    ${o(a)?e`<${m} question=${a} answer=${t} />`:e`<p class="muted">${s("It asks {name}.",{name:r(a.person)})}</p>`}
  </div>`}function v({task:{id:a,origin:t},title:r=t.chat}){return t.chat?t.channel!=="web"?e`<span dir="auto">${t.channel}</span>`:t.person!==n.value?.id?e`<span dir="auto">${t.chat}</span>`:e`<a href=${`/?chat=${encodeURIComponent(t.chat)}#${a}`} dir="auto" title=${r}>${r}</a>`:e`<span class="muted">${s("no chat")}</span>`}export{h as a,v as b};
