import{a as n,b as l,c as p,d as u,f as c}from"./chunk-4G2L4PHD.js";import{a as g}from"./chunk-FAKMFOH4.js";import{d as r,e as i,k as s,p as e}from"./chunk-V2GEF5NQ.js";var d=[["GET /api/me","/",()=>e("page.chat")],["GET /tasks","/tasks",()=>e("page.tasks")],["GET /questions","/questions",()=>e("page.questions")],["GET /sessions","/sessions",()=>e("page.sessions")],["GET /usage","/usage",()=>e("page.usage")],["GET /tokens","/tokens",()=>e("page.header.tokens")],["GET /channels","/channels",()=>e("page.channels")],["GET /tools","/tools",()=>e("page.header.tools")],["GET /models","/models",()=>e("page.header.models")],["GET /people","/people",()=>e("page.people")],["GET /audit","/audit",()=>e("page.header.audit")]];function b(){let t=i();return r(()=>m(t.current),[n.value]),s`<header>
    <h1><a href="/">errand</a></h1>
    <nav id="nav" aria-label=${e("page.header.pages")} ref=${t}>
      ${d.filter(([a])=>u(a)).map(([,a,o])=>s`<a key=${a} href=${a} aria-current=${location.pathname===a?"page":location.pathname.startsWith(`${a}/`)?"true":void 0}>${o()}</a>`)}
      ${l.value.web_ui&&s`<a href=${l.value.web_ui} target="_blank" rel="noopener">Temporal</a>`}
    </nav>
    <span id="connection" class="status">${p}</span>
    <span id="who" class="who">${n.value&&s`<${$} ...${n.value} />`}</span>
  </header>`}function m(t){let a=t.querySelector("[aria-current]");a&&(t.scrollLeft+=a.getBoundingClientRect().left-t.getBoundingClientRect().left-(t.clientWidth-a.clientWidth)/2)}function $({id:t,name:a,role_name:o,login:h}){return s`<span class="name">${c({id:t,name:a})}</span><span class="role">${o}</span>
    ${h==="cookie"?s`<button class="link" type="button" onClick=${f}>${e("page.log_out")}</button>`:s`<a href="/login.html">${e("page.header.switch_user")}</a>`}`}async function f(){await g(),location.assign("/login.html")}export{b as a};
