import{b as k}from"./chunk-QKU6AXD4.js";import{a as w}from"./chunk-RXSPWBIN.js";import"./chunk-QN7YUJEF.js";import"./chunk-56IHBTLJ.js";import{a as b,b as g}from"./chunk-4VDUG7FU.js";import"./chunk-P3HCWJKB.js";import"./chunk-NHA3WXGI.js";import{a as y}from"./chunk-UC5YX7VT.js";import"./chunk-YZC3XOHJ.js";import{d}from"./chunk-7ANT74VX.js";import{g as v}from"./chunk-4DHKOIDS.js";import"./chunk-56OV5KKZ.js";import{b as m,c as f,e as $,k as s,o as a}from"./chunk-ZOQTP745.js";var K=navigator.platform.startsWith("Mac")?"⌘K":"Ctrl K";function T({chats:e}){let l=e.list.value,c=l.filter(t=>!t.archived||e.isOpen(t)),n=l.filter(t=>!c.includes(t)),i=t=>s`<${S} key=${t.session_id} chat=${t} chats=${e} />`;return s`<div class="chat-list">
    <div class="chat-acts">
      <a id="new-chat" class="button small" href=${b()}>${a("New chat")}</a>
      <button id="find" class="small" type="button" aria-keyshortcuts="Control+K Meta+K" onClick=${()=>{e.searching.value=!0}}>${a("Search")} <kbd>${K}</kbd></button>
    </div>
    <ul>${c.map(i)}</ul>
    ${n.length>0&&s`<details class="archived"><summary>${a("Archived ({n})",{n:n.length})}</summary><ul>${n.map(i)}</ul></details>`}
    <p><${w} /></p>
    ${d("GET /sessions")&&s`<p><a class="muted" href="/sessions">${a("All sessions")}</a></p>`}
  </div>`}function S({chat:e,chats:l}){let[c,n]=m(!1),i=$(),t=l.isOpen(e),u=e.title||a("New chat"),r=t&&!document.hidden?0:e.unread,p=()=>{i.current.open=!1,i.current.querySelector("summary").focus()},h=(o,C)=>s`<${y} key=${o} label=${a(o)} describe=${`${a(o)}: ${u}`} run=${async()=>{await l.change(e,C),i.current&&p()}} />`;return s`<li class=${t?"chat-item current":"chat-item"} data-chat=${e.route.chat}>
    ${c?s`<${P} chat=${e} save=${async o=>{await l.change(e,{name:o}),n(!1)}} leave=${()=>n(!1)} />`:s`<a href=${g(e.route,e.session_id)} aria-current=${t?"page":void 0}>
      <span class="chat-title" dir="auto">${u}</span>
      ${r>0&&s`<span class="unread"><span aria-hidden="true">${r}</span><span class="hidden">${a("{n} new",{n:r})}</span></span>`}
      <span class="chat-about">${e.pinned&&s`<span title=${a("Pinned")}>📌<span class="hidden">${a("Pinned")}</span></span>`} ${k(e.route)}${v(e.active)}</span>
    </a>
    ${d("POST /api/chats/{id}")&&s`<details class="more" ref=${i} onKeyDown=${o=>{o.key==="Escape"&&i.current.open&&(o.preventDefault(),o.stopPropagation(),p())}}>
      <summary aria-label=${a("More for {title}",{title:u})}>⋯</summary>
      <div class="choices">
        <button class="small" type="button" aria-label=${`${a("Rename")}: ${u}`} onClick=${()=>n(!0)}>${a("Rename")}</button>
        ${h(e.pinned?"Unpin":"Pin",{pinned:!e.pinned})}
        ${h(e.archived?"Unarchive":"Archive",{archived:!e.archived})}
      </div>
    </details>`}`}
  </li>`}function P({chat:e,save:l,leave:c}){let n=$(),[i,t]=m("");return f(()=>{n.current.focus(),n.current.select()},[]),s`<form class="chat-name" onSubmit=${r=>{r.preventDefault(),l(n.current.value).catch(p=>t(p.message))}} onKeyDown=${r=>{r.key==="Escape"&&(r.preventDefault(),r.stopPropagation(),c())}}>
    <input ref=${n} aria-label=${a("Name of the chat")} defaultValue=${e.title} placeholder=${e.title} maxlength="80" dir="auto" />
    <button class="small" type="submit">${a("Save")}</button>
    <span class="said">${i}</span>
  </form>`}export{T as ChatList,K as searchKeys};
