import{a as H,b as O}from"./shared/chunk-MVRSVOXS.js";import{a as b,b as N}from"./shared/chunk-QEA6ILUR.js";import"./shared/chunk-Z47L3J2U.js";import{a as M}from"./shared/chunk-TWJSX7ZU.js";import{a as $}from"./shared/chunk-6X5TK3MG.js";import{a as L,c as T}from"./shared/chunk-6SLZQEZ2.js";import{a as U}from"./shared/chunk-JCEDLGCE.js";import{a as C}from"./shared/chunk-VBEITUWX.js";import{a as A,b as D,f as _,h as I}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as p,i}from"./shared/chunk-ZSYFMEBJ.js";import{a as S}from"./shared/chunk-B7IOUNRY.js";import{b as v}from"./shared/chunk-BGZJLJBS.js";import{a as R,b as d,e as P,g as E,h,k as n,p as s,r as q}from"./shared/chunk-V2GEF5NQ.js";var t=a=>a.account?`${a.channel}/${a.account}`:a.channel;function j({people:a}){let e=P(),[r,o]=d("member"),[{said:y,good:m},c]=d({said:""}),x=(g,l)=>{c({said:g,good:l}),v(g)};return n`<form id="approve" class="row" onSubmit=${async g=>{g.preventDefault(),c({said:""});try{let l=await a.approve(e.current.value.trim(),r);e.current.value="",x(s("page.pairings.has_access_now",{name:l.name||l.id}),!0)}catch(l){x(l.message)}}}>
    <input id="code" aria-label=${s("page.pairings.code")} placeholder=${s("page.pairings.code_they_were_given")} maxlength="40" autocomplete="off" spellcheck=${!1} required ref=${e} />
    <span id="as" class="row"><${k} label=${s("page.pairings.role")} role=${r} roles=${a.roles()} choose=${o} /></span>
    <button class="small primary">${s("page.pairings.approve")}</button>
    <span id="approved" class=${m?"muted":"said"}>${y}</span>
  </form>`}function k({label:a,role:e,roles:r,choose:o}){return n`<${U} aria-label=${a} value=${e} options=${r} choose=${o} />`}function z({people:a}){let e=a.pairings.value;return n`<div id="pairings" class="cards">
    ${e.map(r=>n`<article class="card" key=${r.code} data-name=${r.name}>
      <div class="row"><span class="title" dir="auto">${r.name||s("page.pairings.no_name_given")}</span>${r.person&&n`<span class="role">${s("page.pairings.known_already",{name:T(r.person)})}</span>`}</div>
      <div class="row muted">
        <span>${r.channel==="web"?r.address?s("page.pairings.in_a_browser_at",{address:r.address}):s("page.pairings.in_a_browser"):`${t(r)} ${r.external_id}`}</span>
        <span>${s("page.pairings.requested_at_valid_until",{from:p(r.created),until:p(r.expires)})}</span>
        <${$} label=${s("page.pairings.deny")} describe=${s("page.pairings.deny_name",{name:r.name})} end run=${()=>a.deny(r.code)} />
      </div>
    </article>`)}
    ${a.read.value&&!e.length&&n`<p class="muted">${s("page.pairings.no_requests_are_waiting")}</p>`}
  </div>`}var u=a=>`/api/people/${encodeURIComponent(a.id)}`,w=class{pairings=h([]);people=L;refusals=h([]);read=h(!1);refresh=M(async()=>{let[e,r,o]=await Promise.all([i("/api/pairings?waiting=true"),i("/api/people"),i("/api/refusals")]);E(()=>{this.pairings.value=e,this.people.value=r,this.refusals.value=o,this.read.value=!0})},3e3);roles(){return(D.value.roles??[]).map(e=>[e.role,e.name])}isMe(e){return e.id===A.value?.id}async approve(e,r){let{person:o}=await i(`/api/pairings/${encodeURIComponent(e)}/approve`,{role:r});return this.refresh(),o}async deny(e){await i(`/api/pairings/${encodeURIComponent(e)}/deny`,{}),await this.refresh()}async setRole(e,r){await i(u(e),{role:r}),this.isMe(e)&&await I(),await this.refresh()}async remove(e){await b(s("page.people.remove",{name:e.name||e.id}),s("page.remove"),s("page.people.their_tokens_logins_end"))&&(await i(u(e),void 0,"DELETE"),await this.refresh())}async unlink(e,r){if(!await b(s("page.people.unlink_this_identity"),s("page.unlink"),s("page.people.person_who_writes_has")))return;let o=new URLSearchParams({channel:r.channel,account:r.account??"",external_id:r.external_id});await i(`${u(e)}/identities?${o}`,void 0,"DELETE"),await this.refresh()}async revoke(e){await i(`/api/tokens/${encodeURIComponent(e.id)}`,void 0,"DELETE"),await this.refresh()}};function B({person:a,people:e}){let[r,o]=d(""),y=async m=>{o("");try{await e.setRole(a,m)}catch(c){o(c.message),v(c.message),e.refresh()}};return n`<article class="card" data-person=${a.id}>
    <div class="row"><span class="title" dir="auto">${_(a)}</span>${e.isMe(a)&&n`<span class="role">${s("page.you_lower")}</span>`}
      <code class="muted">${a.id}</code><${k} label=${s("page.person.role_of",{name:_(a)})} role=${a.role} roles=${e.roles()} choose=${y} />
      <span class="said">${r}</span></div>
    ${a.language&&n`<p class="muted">${s("page.person.language",{language:q(a.language)})}</p>`}
    <${G} person=${a} people=${e} />
    <${O} tokens=${a.tokens} revoke=${m=>e.revoke(m)} />
    <div class="row"><${H} path=${`${u(a)}/tokens`} />
      ${!e.isMe(a)&&n`<${$} label=${s("page.remove")} describe=${s("page.remove_name",{name:_(a)})} end run=${()=>e.remove(a)} />`}</div>
  </article>`}function G({person:a,people:e}){let r=(a.identities??[]).filter(o=>o.channel!=="web");return r.length?n`<ul class="plain">${r.map(o=>n`<li class="row" key=${`${t(o)} ${o.external_id}`}>
    <span>${t(o)} ${o.external_id}</span>${o.name&&n`<span class="muted">${o.name}</span>`}
    <${$} label=${s("page.unlink")} describe=${s("page.person.unlink",{name:`${t(o)} ${o.external_id}`})} run=${()=>e.unlink(a,o)} />
  </li>`)}</ul>`:null}function F({list:a}){return n`<div id="refusals">${a.length?n`<ul class="plain">${a.map(e=>n`<li class="row" key=${`${t(e)} ${e.external_id}`}>
    <span>${t(e)} ${e.external_id}</span>${e.name&&n`<span>${e.name}</span>`}
    <span class="muted">${e.reason}; ${e.times===1?s("page.refusals.once_at",{time:p(e.last)}):s("page.refusals.times_the_last_at",{n:e.times,time:p(e.last)})}</span>
  </li>`)}</ul>`:n`<p class="muted">${s("page.refusals.nobody")}</p>`}</div>`}var f=new w;function J(){return n`
    <${C} />
    <main class="page">
      <h2>${s("page.people.requests_for_access")}</h2>
      <${j} people=${f} />
      <p class="muted">${s("page.people.anybody_can_call_themselves")}</p>
      <${z} people=${f} />
      <h2>${s("page.people")}</h2>
      <div id="people" class="cards">${f.people.value.map(a=>n`<${B} key=${a.id} person=${a} people=${f} />`)}</div>
      <h2>${s("page.people.denied")}</h2>
      <${F} list=${f.refusals.value} />
    </main>
    <${S} />
    <${N} />`}R(n`<${J} />`,document.body);
