import{a as n}from"./shared/chunk-7GVBZ3GA.js";import{a as v}from"./shared/chunk-P3HCWJKB.js";import{a as f}from"./shared/chunk-ZSOHIUJY.js";import{e as u}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as l,i as d,k as $}from"./shared/chunk-4DHKOIDS.js";import{a as p}from"./shared/chunk-KUPQE3KS.js";import"./shared/chunk-56OV5KKZ.js";import{a as i,h as m,k as r,o as a,p as c}from"./shared/chunk-ZOQTP745.js";var k={always:()=>a("asks for approval every time"),first:()=>a("asks for approval the first time"),never:()=>a("never asks for approval")},g={read_only:()=>a("read only"),idempotent:()=>a("may be repeated"),once:()=>a("once")};function y({server:e}){let t=e.state==="elsewhere",s=t?e.remote_state||"unknown":e.state;return r`<article class=${`card server ${s}`} data-server=${e.name}>
    <div class="row"><span class="title">${e.name}</span>
      <span class="mark">${t?a("{state}, at another worker",{state:n(s)}):n(s)}</span>
      ${e.says&&r`<span class="muted" dir="auto">${e.says}</span>`}</div>
    ${e.reason&&r`<p class="detail" dir="auto">${e.reason}</p>`}
    ${[e.blocked,...e.unmatched??[]].filter(Boolean).map(o=>r`<p class="detail unmatched" key=${o} dir="auto">${a("Warning: {text}",{text:o})}</p>`)}
    ${e.failures?.length>0&&r`<details class="failures" open><summary>${a("Calls without a result")}</summary>
      <ul class="plain">${e.failures.map(o=>r`<li key=${`${o.at} ${o.tool} ${o.worker}`}><code>${o.tool}</code> ${o.reason} <span class="muted">${l(o.at)}</span></li>`)}</ul></details>`}
    ${e.tools.length>0&&r`<details class="tools"><summary>${e.tools.length===1?a("1 tool"):a("{n} tools",{n:e.tools.length})}</summary>
      <ul class="plain">${e.tools.map(o=>r`<${w} key=${o.name} tool=${o} />`)}</ul></details>`}
    ${e.left_out?.length>0&&r`<details class="left-out"><summary>${a("Not offered: {n}",{n:e.left_out.length})}</summary>
      <ul class="plain">${e.left_out.map(o=>r`<li key=${o} dir="auto">${o}</li>`)}</ul></details>`}
    <p class="muted">${[a("since {time}",{time:l(e.since)}),e.wire==="http"?a("by HTTP"):a("a started program"),e.single?a("one worker runs it"):"",e.worker?a("worker {worker}",{worker:e.worker}):"",e.protocol?`MCP ${e.protocol}`:""].filter(Boolean).join(", ")}</p>
  </article>`}function w({tool:e}){return r`<li><div class="row"><code>${e.name}</code><span class="muted">${g[e.effect]?.()??e.effect}, ${a("from {role}",{role:u(e.role)})}, ${k[e.approval]?.()??e.approval}, ${e.agents.length?a("for {agents}",{agents:e.agents.map($).join(", ")}):a("for no agent")}</span></div>
    ${e.description&&r`<p class="muted" dir="auto">${e.description}</p>`}</li>`}var h=m(null);v(async()=>{h.value=await d("/api/mcp")},2e3);function P(){let e=h.value;return r`
    <${f} />
    <main class="page">
      <h2>${a("MCP servers")}</h2>
      <div id="servers" class="cards">
        ${e?.map(t=>r`<${y} key=${t.name} server=${t} />`)}
        ${e?.length===0&&r`<p class="muted">${c("There are no MCP servers. {setting} in errand.yaml names them; it is read when the worker starts.",{setting:r`<code>mcp_servers</code>`})}</p>`}
      </div>
    </main>
    <${p} />`}i(r`<${P} />`,document.body);
