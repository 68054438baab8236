import{a as l,b as h}from"./shared/chunk-6XBYUCFJ.js";import{a as f}from"./shared/chunk-42H76STI.js";import{b as k}from"./shared/chunk-PCLBBXOY.js";import"./shared/chunk-ZE33X2E4.js";import"./shared/chunk-XT2RCHL6.js";import{a as p}from"./shared/chunk-CB5HU2YK.js";import"./shared/chunk-4ONKDMVB.js";import"./shared/chunk-XBILLAUH.js";import{i as t}from"./shared/chunk-NZ2MLOBQ.js";import{a as i}from"./shared/chunk-YTHETQM7.js";import"./shared/chunk-CUTO6YOT.js";import{a as n,h as m,k as e,o as r}from"./shared/chunk-P4LB7CD7.js";var o=class{list=m([]);refresh=f(async()=>{this.list.value=await t("/api/me/tokens")},5e3);async revoke(c){await t(`/api/me/tokens/${encodeURIComponent(c.id)}`,void 0,"DELETE"),await this.refresh()}};var s=new o;function $(){return e`
    <${p} />
    <main class="page">
      <h2>${r("Your tokens")}</h2>
      <p class="muted">${r("A program that shows one acts for you, as far as its scope goes. No token approves anything: that only you do.")}</p>
      <${l} path="/api/me/tokens" made=${s.refresh} />
      <${h} tokens=${s.list.value} revoke=${a=>s.revoke(a)} />
    </main>
    <${i} />
    <${k} />`}n(e`<${$} />`,document.body);
