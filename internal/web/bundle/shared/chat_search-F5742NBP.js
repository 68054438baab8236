import{b as u}from"./chunk-QKU6AXD4.js";import{b as i}from"./chunk-4VDUG7FU.js";import"./chunk-P3HCWJKB.js";import{a as $}from"./chunk-NHA3WXGI.js";import"./chunk-7ANT74VX.js";import{g as n,k as f}from"./chunk-4DHKOIDS.js";import"./chunk-56OV5KKZ.js";import{e as c,k as r,m as p,o as t}from"./chunk-ZOQTP745.js";function h({chats:s}){let a=c(),o=s.found.value;$(a);let m=()=>{s.searching.value=!1,s.find("")},d=e=>{if(e.key==="Escape"&&(e.preventDefault(),a.current.close()),e.key!=="ArrowDown"&&e.key!=="ArrowUp")return;let l=[...a.current.querySelectorAll("input, li a")],g=l.indexOf(document.activeElement);e.preventDefault(),l[Math.min(l.length-1,Math.max(0,g+(e.key==="ArrowDown"?1:-1)))].focus()},y=e=>{e.preventDefault(),a.current.querySelector("li a")?.click()};return r`<dialog class="search" lang=${p} ref=${a} aria-label=${t("Search your chats")} onClose=${m} onKeyDown=${d}
      onClick=${e=>{e.target===a.current&&a.current.close()}}>
    <form onSubmit=${y}>
      <input type="search" maxlength="200" autocomplete="off" aria-label=${t("Search your chats")} placeholder=${t("Titles, and what was said")} onInput=${e=>s.find(e.target.value)} />
      <button class="small" type="button" onClick=${()=>a.current.close()}>${t("Close")}</button>
    </form>
    ${o&&r`<p class="muted">${o.says}</p>
      <ul class="found">
        ${o.chats.map(e=>r`<li key=${e.session_id}><a href=${i(e.route,e.session_id)}><span class="title" dir="auto">${e.title}</span>
          <span class="muted">${u(e.route)}${n(e.active)}</span></a></li>`)}
        ${o.hits.map(e=>r`<li key=${`${e.session_id} ${e.turn} ${e.step} ${e.index}`}><a href=${i(e,e.session_id)}>
          <span class="excerpt" dir="auto">${e.speaker==="user"?t("You"):f(e.agent)}: ${e.excerpt}</span>
          <span class="muted"><span dir="auto">${s.titleOf(e)}</span> · ${u(e)}${n(e.created)}</span></a></li>`)}
      </ul>`}
  </dialog>`}export{h as ChatSearch};
