import{a as l,b as $}from"./shared/chunk-MVRSVOXS.js";import{b as k}from"./shared/chunk-QEA6ILUR.js";import"./shared/chunk-Z47L3J2U.js";import{a as f}from"./shared/chunk-TWJSX7ZU.js";import"./shared/chunk-6X5TK3MG.js";import{a as p}from"./shared/chunk-VBEITUWX.js";import"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{i as t}from"./shared/chunk-ZSYFMEBJ.js";import{a as i}from"./shared/chunk-B7IOUNRY.js";import"./shared/chunk-BGZJLJBS.js";import{a as n,h as a,k as e,p as r}from"./shared/chunk-V2GEF5NQ.js";var o=class{list=a([]);refresh=f(async()=>{this.list.value=await t("/api/me/tokens")},5e3);async revoke(c){await t(`/api/me/tokens/${encodeURIComponent(c.id)}`,void 0,"DELETE"),await this.refresh()}};var m=new o;function d(){return e`
    <${p} />
    <main class="page">
      <h2>${r("page.tokens.your_tokens")}</h2>
      <p class="muted">${r("page.tokens.program_shows_one_acts")}</p>
      <${l} path="/api/me/tokens" made=${m.refresh} />
      <${$} tokens=${m.list.value} revoke=${s=>m.revoke(s)} />
    </main>
    <${i} />
    <${k} />`}n(e`<${d} />`,document.body);
