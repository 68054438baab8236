import{a as d}from"./chunk-QKU6AXD4.js";import{a as h}from"./chunk-Q2XHFCHG.js";import"./chunk-GVKRUO7B.js";import"./chunk-WAQJSITK.js";import"./chunk-Z4MSZ2JS.js";import{d as $}from"./chunk-7ANT74VX.js";import{i as f}from"./chunk-4DHKOIDS.js";import"./chunk-56OV5KKZ.js";import{b as t,c as n,e as m,k as o,m as p,o as s}from"./chunk-ZOQTP745.js";function k({session:a,chats:r}){let[e,u]=t(null),[i,g]=t(""),l=m(),v=r.open.value?.active;n(()=>{f(`/api/sessions/${encodeURIComponent(a)}`).then(u,w=>g(w.message))},[a,v]),n(()=>{l.current?.scrollIntoView({block:"end"})},[e]);let c=e?.session.route.channel;return c==="web"&&location.replace(`/?chat=${encodeURIComponent(e.session.route.chat)}`),o`
    <main>
      <div class="read-along" tabindex="0" role="region" aria-label=${r.open.value?.title||s("Chats")}>
        ${i&&o`<p class="muted">${i}</p>`}
        ${e&&o`<${h} messages=${e.messages??[]} notices=${e.notices??[]} artifacts=${e.artifacts??[]} />`}
        <div ref=${l}></div>
      </div>
    </main>
    <footer>${e&&o`<p class="elsewhere" lang=${p}>${s("This chat is on {platform}. Write there; here you can read along.",{platform:d(c)})}
      ${$("GET /sessions")&&o` <a href=${`/sessions#${e.session.id}`}>${s("Its session")}</a>`}</p>`}</footer>`}export{k as ReadAlong};
