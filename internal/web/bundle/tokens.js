import{a as l,b as h}from"./shared/chunk-WGUL42NV.js";import{a as f}from"./shared/chunk-YAUSVJ3O.js";import{b as k}from"./shared/chunk-4IUS2SMA.js";import"./shared/chunk-PBW6RARS.js";import"./shared/chunk-UJN4HVO4.js";import{a as p}from"./shared/chunk-REX7ARDU.js";import"./shared/chunk-5A2I7JUM.js";import"./shared/chunk-3V5SHC6E.js";import{i as t}from"./shared/chunk-XRR45PQE.js";import{a as i}from"./shared/chunk-GKBMS72B.js";import"./shared/chunk-Z3ITHJRX.js";import{a as n,h as m,k as e,o as r}from"./shared/chunk-RLV57SEU.js";var o=class{list=m([]);refresh=f(async()=>{this.list.value=await t("/api/me/tokens")},5e3);async revoke(c){await t(`/api/me/tokens/${encodeURIComponent(c.id)}`,void 0,"DELETE"),await this.refresh()}};var s=new o;function $(){return e`
    <${p} />
    <main class="page">
      <h2>${r("Your tokens")}</h2>
      <p class="muted">${r("A program that shows one acts for you, as far as its scope goes. No token approves anything: that only you do.")}</p>
      <${l} path="/api/me/tokens" made=${s.refresh} />
      <${h} tokens=${s.list.value} revoke=${a=>s.revoke(a)} />
    </main>
    <${i} />
    <${k} />`}n(e`<${$} />`,document.body);
