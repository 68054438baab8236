import{a as g}from"./chunk-LP37SZ35.js";import{a as d}from"./chunk-SPW6PGOJ.js";import"./chunk-7OS4QIR7.js";import"./chunk-B52JOGFE.js";import"./chunk-Z4MSZ2JS.js";import{d as $}from"./chunk-4G2L4PHD.js";import{i as f}from"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{b as a,c as t,e as m,k as o,m as p,p as s}from"./chunk-V2GEF5NQ.js";function y({session:n,chats:r}){let[e,h]=a(null),[i,u]=a(""),l=m(),v=r.open.value?.active;t(()=>{f(`/api/sessions/${encodeURIComponent(n)}`).then(h,w=>u(w.message))},[n,v]),t(()=>{l.current?.scrollIntoView({block:"end"})},[e]);let c=e?.session.route.channel;return c==="web"&&location.replace(`/?chat=${encodeURIComponent(e.session.route.chat)}`),o`
    <main>
      <div class="read-along" tabindex="0" role="region" aria-label=${r.open.value?.title||s("page.chats")}>
        ${i&&o`<p class="muted">${i}</p>`}
        ${e&&o`<${d} messages=${e.messages??[]} notices=${e.notices??[]} artifacts=${e.artifacts??[]} />`}
        <div ref=${l}></div>
      </div>
    </main>
    <footer>${e&&o`<p class="elsewhere" lang=${p}>${s("page.read_along.chat_write_there_here",{platform:g(c)})}
      ${$("GET /sessions")&&o` <a href=${`/sessions#${e.session.id}`}>${s("page.read_along.its_session")}</a>`}</p>`}</footer>`}export{y as ReadAlong};
