import{b as u}from"./chunk-LP37SZ35.js";import{b as i}from"./chunk-YZHDSTR7.js";import{a as $}from"./chunk-Z47L3J2U.js";import"./chunk-TWJSX7ZU.js";import"./chunk-4G2L4PHD.js";import{g as n,k as f}from"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{e as c,k as r,m as p,p as t}from"./chunk-V2GEF5NQ.js";function D({chats:s}){let a=c(),o=s.found.value;$(a);let m=()=>{s.searching.value=!1,s.find("")},d=e=>{if(e.key==="Escape"&&(e.preventDefault(),a.current.close()),e.key!=="ArrowDown"&&e.key!=="ArrowUp")return;let l=[...a.current.querySelectorAll("input, li a")],g=l.indexOf(document.activeElement);e.preventDefault(),l[Math.min(l.length-1,Math.max(0,g+(e.key==="ArrowDown"?1:-1)))].focus()},y=e=>{e.preventDefault(),a.current.querySelector("li a")?.click()};return r`<dialog class="search" lang=${p} ref=${a} aria-label=${t("page.chat_search.search_your_chats")} onClose=${m} onKeyDown=${d}
      onClick=${e=>{e.target===a.current&&a.current.close()}}>
    <form onSubmit=${y}>
      <input type="search" maxlength="200" autocomplete="off" aria-label=${t("page.chat_search.search_your_chats")} placeholder=${t("page.chat_search.titles_was_said")} onInput=${e=>s.find(e.target.value)} />
      <button class="small" type="button" onClick=${()=>a.current.close()}>${t("page.close")}</button>
    </form>
    ${o&&r`<p class="muted">${o.says}</p>
      <ul class="found">
        ${o.chats.map(e=>r`<li key=${e.session_id}><a href=${i(e.route,e.session_id)}><span class="title" dir="auto">${e.title}</span>
          <span class="muted">${u(e.route)}${n(e.active)}</span></a></li>`)}
        ${o.hits.map(e=>r`<li key=${`${e.session_id} ${e.turn} ${e.step} ${e.index}`}><a href=${i(e,e.session_id)}>
          <span class="excerpt" dir="auto">${e.speaker==="user"?t("page.you"):f(e.agent)}: ${e.excerpt}</span>
          <span class="muted"><span dir="auto">${s.titleOf(e)}</span> · ${u(e)}${n(e.created)}</span></a></li>`)}
      </ul>`}
  </dialog>`}export{D as ChatSearch};
