import{a as s,b as i,c as u,d as c,f as p}from"./chunk-7ANT74VX.js";import{a as h}from"./chunk-6A7IHR5J.js";import{d as l,e as r,k as n,o as e}from"./chunk-ZOQTP745.js";var $=[["GET /api/me","/",()=>e("Chat")],["GET /tasks","/tasks",()=>e("Tasks")],["GET /questions","/questions",()=>e("Questions")],["GET /sessions","/sessions",()=>e("Sessions")],["GET /usage","/usage",()=>e("Usage")],["GET /tokens","/tokens",()=>e("Tokens")],["GET /channels","/channels",()=>e("Channels")],["GET /tools","/tools",()=>e("Tools")],["GET /people","/people",()=>e("People")],["GET /audit","/audit",()=>e("Audit")]];function b(){let t=r();return l(()=>f(t.current),[s.value]),n`<header>
    <h1><a href="/">errand</a></h1>
    <nav id="nav" aria-label=${e("Pages")} ref=${t}>
      ${$.filter(([a])=>c(a)).map(([,a,o])=>n`<a key=${a} href=${a} aria-current=${location.pathname===a?"page":location.pathname.startsWith(`${a}/`)?"true":void 0}>${o()}</a>`)}
      ${i.value.web_ui&&n`<a href=${i.value.web_ui} target="_blank" rel="noopener">Temporal</a>`}
    </nav>
    <span id="connection" class="status">${u}</span>
    <span id="who" class="who">${s.value&&n`<${d} ...${s.value} />`}</span>
  </header>`}function f(t){let a=t.querySelector("[aria-current]");a&&(t.scrollLeft+=a.getBoundingClientRect().left-t.getBoundingClientRect().left-(t.clientWidth-a.clientWidth)/2)}function d({id:t,name:a,role_name:o,login:m}){return n`<span class="name">${p({id:t,name:a})}</span><span class="role">${o}</span>
    ${m==="cookie"?n`<button class="link" type="button" onClick=${g}>${e("Log out")}</button>`:n`<a href="/login.html">${e("Switch user")}</a>`}`}async function g(){await h(),location.assign("/login.html")}export{b as a};
