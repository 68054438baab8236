import{b}from"./chunk-LP37SZ35.js";import{a as k}from"./chunk-IDHF75IB.js";import"./chunk-FHBQSZH2.js";import"./chunk-V4MGQKPM.js";import{a as _,b as y}from"./chunk-YZHDSTR7.js";import"./chunk-Z47L3J2U.js";import"./chunk-TWJSX7ZU.js";import{a as v}from"./chunk-6X5TK3MG.js";import"./chunk-JCEDLGCE.js";import{d as $}from"./chunk-4G2L4PHD.js";import{g}from"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{b as h,c as f,e as m,k as s,p as t}from"./chunk-V2GEF5NQ.js";var C=navigator.platform.startsWith("Mac")?"⌘K":"Ctrl K";function W({chats:a}){let c=a.list.value,o=c.filter(e=>!e.archived||a.isOpen(e)),n=c.filter(e=>!o.includes(e)),i=e=>s`<${K} key=${e.session_id} chat=${e} chats=${a} />`;return s`<div class="chat-list">
    <div class="chat-acts">
      <a id="new-chat" class="button small" href=${_()}>${t("page.chat_list.new_chat")}</a>
      <button id="find" class="small" type="button" aria-keyshortcuts="Control+K Meta+K" onClick=${()=>{a.searching.value=!0}}>${t("page.search")} <kbd>${C}</kbd></button>
    </div>
    <ul>${o.map(i)}</ul>
    ${n.length>0&&s`<details class="archived"><summary>${t("page.chat_list.archived",{n:n.length})}</summary><ul>${n.map(i)}</ul></details>`}
    <p><${k} /></p>
    ${$("GET /sessions")&&s`<p><a class="muted" href="/sessions">${t("page.all_sessions")}</a></p>`}
  </div>`}function K({chat:a,chats:c}){let[o,n]=h(!1),i=m(),e=c.isOpen(a),p=a.title||t("page.chat_list.new_chat"),r=e&&!document.hidden?0:a.unread,u=()=>{i.current.open=!1,i.current.querySelector("summary").focus()},d=(l,w)=>s`<${v} key=${l} label=${t(l)} describe=${`${t(l)}: ${p}`} run=${async()=>{await c.change(a,w),i.current&&u()}} />`;return s`<li class=${e?"chat-item current":"chat-item"} data-chat=${a.route.chat}>
    ${o?s`<${D} chat=${a} save=${async l=>{await c.change(a,{name:l}),n(!1)}} leave=${()=>n(!1)} />`:s`<a href=${y(a.route,a.session_id)} aria-current=${e?"page":void 0}>
      <span class="chat-title" dir="auto">${p}</span>
      ${r>0&&s`<span class="unread"><span aria-hidden="true">${r}</span><span class="hidden">${t("page.new",{n:r})}</span></span>`}
      <span class="chat-about">${a.pinned&&s`<span title=${t("page.chat_list.pinned")}>📌<span class="hidden">${t("page.chat_list.pinned")}</span></span>`} ${b(a.route)}${g(a.active)}</span>
    </a>
    ${$("POST /api/chats/{id}")&&s`<details class="more" ref=${i} onKeyDown=${l=>{l.key==="Escape"&&i.current.open&&(l.preventDefault(),l.stopPropagation(),u())}}>
      <summary aria-label=${t("page.chat_list.more_for",{title:p})}>⋯</summary>
      <div class="choices">
        <button class="small" type="button" aria-label=${`${t("page.chat_list.rename")}: ${p}`} onClick=${()=>n(!0)}>${t("page.chat_list.rename")}</button>
        ${d(a.pinned?"page.chat_list.unpin":"page.chat_list.pin",{pinned:!a.pinned})}
        ${d(a.archived?"page.chat_list.unarchive":"page.chat_list.archive",{archived:!a.archived})}
      </div>
    </details>`}`}
  </li>`}function D({chat:a,save:c,leave:o}){let n=m(),[i,e]=h("");return f(()=>{n.current.focus(),n.current.select()},[]),s`<form class="chat-name" onSubmit=${r=>{r.preventDefault(),c(n.current.value).catch(u=>e(u.message))}} onKeyDown=${r=>{r.key==="Escape"&&(r.preventDefault(),r.stopPropagation(),o())}}>
    <input ref=${n} aria-label=${t("page.chat_list.name_of_the_chat")} defaultValue=${a.title} placeholder=${a.title} maxlength="80" dir="auto" />
    <button class="small" type="submit">${t("page.save")}</button>
    <span class="said">${i}</span>
  </form>`}export{W as ChatList,C as searchKeys};
