import{a as u}from"./shared/chunk-PZGGJEXI.js";import{a as $}from"./shared/chunk-TWJSX7ZU.js";import{a as p}from"./shared/chunk-6X5TK3MG.js";import{a as c}from"./shared/chunk-VBEITUWX.js";import{b as r}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as d,i as s}from"./shared/chunk-ZSYFMEBJ.js";import{a as l}from"./shared/chunk-B7IOUNRY.js";import"./shared/chunk-BGZJLJBS.js";import{a as i,k as a,p as o}from"./shared/chunk-V2GEF5NQ.js";$(f,1e4);async function f(){r.value=await s("/api/about")}async function w(e){await s(`/api/models/check?model=${encodeURIComponent(e)}`,{}),await f()}function h(){let{models:e=[]}=r.value;return a`
    <${c} />
    <main class="page">
      <h2>${o("page.header.models")}</h2>
      <div id="models" class="cards">${e.map(t=>a`<${_} key=${t.model} ...${t} />`)}</div>
    </main>
    <${l} />`}function _({model:e,name:t,provider:g,vision:y,context_tokens:n,price:b,ok:v,says:k,checked:m}){return a`<article class=${`card model ${v?"ok":"down"}`} data-model=${e}>
    <div class="row"><span class="title">${t||e}</span><span class="muted">${e}</span>
      <${p} label=${o("page.models.try")} run=${()=>w(e)} describe=${o("page.models.try_model",{model:e})} end=${!0} /></div>
    <p class="detail" dir="auto">${k}${m&&a` <span class="muted">${d(m)}</span>`}</p>
    <p class="muted">${[g,y?o("page.models.sees_pictures"):o("page.models.no_pictures"),n&&o("page.models.context",{n:u(n)}),b].filter(Boolean).join(", ")}</p>
  </article>`}i(a`<${h} />`,document.body);
