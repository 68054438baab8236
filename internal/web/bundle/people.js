import{a as B,b as H}from"./shared/chunk-YMSO5J3O.js";import{a as N}from"./shared/chunk-P3HCWJKB.js";import{a as k,b as M}from"./shared/chunk-RQ27WHE3.js";import"./shared/chunk-NHA3WXGI.js";import{a as $}from"./shared/chunk-UC5YX7VT.js";import{a as L,c as T}from"./shared/chunk-R72ZRVW7.js";import{a as C}from"./shared/chunk-YZC3XOHJ.js";import{a as I}from"./shared/chunk-ZSOHIUJY.js";import{a as _,b as S,f as w,h as q}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as m,i as t}from"./shared/chunk-4DHKOIDS.js";import{a as A}from"./shared/chunk-KUPQE3KS.js";import{b as g}from"./shared/chunk-56OV5KKZ.js";import{a as P,b as p,e as E,g as U,h as v,k as r,o as n,q as D}from"./shared/chunk-ZOQTP745.js";var i=a=>a.account?`${a.channel}/${a.account}`:a.channel;function O({people:a}){let e=E(),[s,o]=p("member"),[{said:b,good:c},d]=p({said:""}),x=(h,l)=>{d({said:h,good:l}),g(h)};return r`<form id="approve" class="row" onSubmit=${async h=>{h.preventDefault(),d({said:""});try{let l=await a.approve(e.current.value.trim(),s);e.current.value="",x(n("{name} has access now.",{name:l.name||l.id}),!0)}catch(l){x(l.message)}}}>
    <input id="code" aria-label=${n("Code")} placeholder=${n("the code they were given")} maxlength="40" autocomplete="off" spellcheck=${!1} required ref=${e} />
    <span id="as" class="row"><${R} label=${n("Role")} role=${s} roles=${a.roles()} choose=${o} /></span>
    <button class="small primary">${n("Approve")}</button>
    <span id="approved" class=${c?"muted":"said"}>${b}</span>
  </form>`}function R({label:a,role:e,roles:s,choose:o}){return r`<${C} aria-label=${a} value=${e} options=${s} choose=${o} />`}function W({people:a}){let e=a.pairings.value;return r`<div id="pairings" class="cards">
    ${e.map(s=>r`<article class="card" key=${s.code} data-name=${s.name}>
      <div class="row"><span class="title" dir="auto">${s.name||n("no name given")}</span>${s.person&&r`<span class="role">${n("known already: {name}",{name:T(s.person)})}</span>`}</div>
      <div class="row muted">
        <span>${s.channel==="web"?s.address?n("in a browser at {address}",{address:s.address}):n("in a browser"):`${i(s)} ${s.external_id}`}</span>
        <span>${n("requested at {from}, valid until {until}",{from:m(s.created),until:m(s.expires)})}</span>
        <${$} label=${n("Deny")} describe=${n("Deny {name}",{name:s.name})} end run=${()=>a.deny(s.code)} />
      </div>
    </article>`)}
    ${a.read.value&&!e.length&&r`<p class="muted">${n("No requests are waiting.")}</p>`}
  </div>`}var u=a=>`/api/people/${encodeURIComponent(a.id)}`,y=class{pairings=v([]);people=L;refusals=v([]);read=v(!1);refresh=N(async()=>{let[e,s,o]=await Promise.all([t("/api/pairings?waiting=true"),t("/api/people"),t("/api/refusals")]);U(()=>{this.pairings.value=e,this.people.value=s,this.refusals.value=o,this.read.value=!0})},3e3);roles(){return(S.value.roles??[]).map(e=>[e.role,e.name])}isMe(e){return e.id===_.value?.id}async approve(e,s){let{person:o}=await t(`/api/pairings/${encodeURIComponent(e)}/approve`,{role:s});return this.refresh(),o}async deny(e){await t(`/api/pairings/${encodeURIComponent(e)}/deny`,{}),await this.refresh()}async setRole(e,s){await t(u(e),{role:s}),this.isMe(e)&&await q(),await this.refresh()}async remove(e){await k(n("Remove {name}?",{name:e.name||e.id}),n("Remove"),n("Their tokens and logins end, and no channel knows them any more. What they said stays until it is deleted."))&&(await t(u(e),void 0,"DELETE"),await this.refresh())}async unlink(e,s){if(!await k(n("Unlink this identity?"),n("Unlink"),n("A person who writes with it has to request access again.")))return;let o=new URLSearchParams({channel:s.channel,account:s.account??"",external_id:s.external_id});await t(`${u(e)}/identities?${o}`,void 0,"DELETE"),await this.refresh()}async revoke(e){await t(`/api/tokens/${encodeURIComponent(e.id)}`,void 0,"DELETE"),await this.refresh()}};function j({person:a,people:e}){let[s,o]=p(""),b=async c=>{o("");try{await e.setRole(a,c)}catch(d){o(d.message),g(d.message),e.refresh()}};return r`<article class="card" data-person=${a.id}>
    <div class="row"><span class="title" dir="auto">${w(a)}</span>${e.isMe(a)&&r`<span class="role">${n("you")}</span>`}
      <code class="muted">${a.id}</code><${R} label=${n("Role of {name}",{name:w(a)})} role=${a.role} roles=${e.roles()} choose=${b} />
      <span class="said">${s}</span></div>
    ${a.language&&r`<p class="muted">${n("Language: {language}",{language:D(a.language)})}</p>`}
    <${F} person=${a} people=${e} />
    <${H} tokens=${a.tokens} revoke=${c=>e.revoke(c)} />
    <div class="row"><${B} path=${`${u(a)}/tokens`} />
      ${!e.isMe(a)&&r`<${$} label=${n("Remove")} describe=${n("Remove {name}",{name:w(a)})} end run=${()=>e.remove(a)} />`}</div>
  </article>`}function F({person:a,people:e}){let s=(a.identities??[]).filter(o=>o.channel!=="web");return s.length?r`<ul class="plain">${s.map(o=>r`<li class="row" key=${`${i(o)} ${o.external_id}`}>
    <span>${i(o)} ${o.external_id}</span>${o.name&&r`<span class="muted">${o.name}</span>`}
    <${$} label=${n("Unlink")} describe=${n("Unlink {name}",{name:`${i(o)} ${o.external_id}`})} run=${()=>e.unlink(a,o)} />
  </li>`)}</ul>`:null}function z({list:a}){return r`<div id="refusals">${a.length?r`<ul class="plain">${a.map(e=>r`<li class="row" key=${`${i(e)} ${e.external_id}`}>
    <span>${i(e)} ${e.external_id}</span>${e.name&&r`<span>${e.name}</span>`}
    <span class="muted">${e.reason}; ${e.times===1?n("once, at {time}",{time:m(e.last)}):n("{n} times, the last at {time}",{n:e.times,time:m(e.last)})}</span>
  </li>`)}</ul>`:r`<p class="muted">${n("Nobody.")}</p>`}</div>`}var f=new y;function G(){return r`
    <${I} />
    <main class="page">
      <h2>${n("Requests for access")}</h2>
      <${O} people=${f} />
      <p class="muted">${n("Anybody can call themselves anything. Before you approve somebody, ask them for the code that errand gave them.")}</p>
      <${W} people=${f} />
      <h2>${n("People")}</h2>
      <div id="people" class="cards">${f.people.value.map(a=>r`<${j} key=${a.id} person=${a} people=${f} />`)}</div>
      <h2>${n("Denied")}</h2>
      <${z} list=${f.refusals.value} />
    </main>
    <${A} />
    <${M} />`}P(r`<${G} />`,document.body);
