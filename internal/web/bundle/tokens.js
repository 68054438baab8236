import{a as l,b as h}from"./shared/chunk-DKW453DQ.js";import{a as f}from"./shared/chunk-4HBOG73Y.js";import{b as k}from"./shared/chunk-WHYDAT6P.js";import"./shared/chunk-U5JEYAC3.js";import"./shared/chunk-S77UORLL.js";import{a as p}from"./shared/chunk-LLTSSOYM.js";import"./shared/chunk-WRB7ZZQ3.js";import"./shared/chunk-AD7FWEE3.js";import{i as t}from"./shared/chunk-WWFSKUUJ.js";import{a as i}from"./shared/chunk-B7TULIFK.js";import"./shared/chunk-JKQEGA4B.js";import{a as n,h as m,k as e,o as r}from"./shared/chunk-IDBT5V6X.js";var o=class{list=m([]);refresh=f(async()=>{this.list.value=await t("/api/me/tokens")},5e3);async revoke(c){await t(`/api/me/tokens/${encodeURIComponent(c.id)}`,void 0,"DELETE"),await this.refresh()}};var s=new o;function $(){return e`
    <${p} />
    <main class="page">
      <h2>${r("Your tokens")}</h2>
      <p class="muted">${r("A program that shows one acts for you, as far as its scope goes. No token approves anything: that only you do.")}</p>
      <${l} path="/api/me/tokens" made=${s.refresh} />
      <${h} tokens=${s.list.value} revoke=${a=>s.revoke(a)} />
    </main>
    <${i} />
    <${k} />`}n(e`<${$} />`,document.body);
