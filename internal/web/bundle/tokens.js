import{a as l,b as h}from"./shared/chunk-YMSO5J3O.js";import{a as f}from"./shared/chunk-P3HCWJKB.js";import{b as k}from"./shared/chunk-RQ27WHE3.js";import"./shared/chunk-NHA3WXGI.js";import"./shared/chunk-UC5YX7VT.js";import{a as p}from"./shared/chunk-ZSOHIUJY.js";import"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{i as t}from"./shared/chunk-4DHKOIDS.js";import{a as i}from"./shared/chunk-KUPQE3KS.js";import"./shared/chunk-56OV5KKZ.js";import{a as n,h as m,k as e,o as r}from"./shared/chunk-ZOQTP745.js";var o=class{list=m([]);refresh=f(async()=>{this.list.value=await t("/api/me/tokens")},5e3);async revoke(c){await t(`/api/me/tokens/${encodeURIComponent(c.id)}`,void 0,"DELETE"),await this.refresh()}};var s=new o;function $(){return e`
    <${p} />
    <main class="page">
      <h2>${r("Your tokens")}</h2>
      <p class="muted">${r("A program that shows one acts for you, as far as its scope goes. No token approves anything: that only you do.")}</p>
      <${l} path="/api/me/tokens" made=${s.refresh} />
      <${h} tokens=${s.list.value} revoke=${a=>s.revoke(a)} />
    </main>
    <${i} />
    <${k} />`}n(e`<${$} />`,document.body);
