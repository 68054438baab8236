import{a as p}from"./shared/chunk-ZPTCSBE3.js";import{a as v}from"./shared/chunk-TWJSX7ZU.js";import{a as u}from"./shared/chunk-VBEITUWX.js";import{e as $}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as l,i as _,k as d}from"./shared/chunk-ZSYFMEBJ.js";import{a as c}from"./shared/chunk-B7IOUNRY.js";import"./shared/chunk-BGZJLJBS.js";import{a as m,h as n,k as a,p as r,q as i}from"./shared/chunk-V2GEF5NQ.js";var y={always:()=>r("page.mcp_server.asks_approval_every_time"),first:()=>r("page.mcp_server.asks_approval_first_time"),never:()=>r("page.mcp_server.never_asks_for_approval")},h={read_only:()=>r("page.mcp_server.read_only"),idempotent:()=>r("page.mcp_server.may_be_repeated"),once:()=>r("page.mcp_server.once")};function g({server:e}){let s=e.state==="elsewhere",t=s?e.remote_state||"unknown":e.state;return a`<article class=${`card server ${t}`} data-server=${e.name}>
    <div class="row"><span class="title">${e.name}</span>
      <span class="mark">${s?r("page.mcp_server.at_another_worker",{state:p(t)}):p(t)}</span>
      ${e.says&&a`<span class="muted" dir="auto">${e.says}</span>`}</div>
    ${e.reason&&a`<p class="detail" dir="auto">${e.reason}</p>`}
    ${[e.blocked,...e.unmatched??[]].filter(Boolean).map(o=>a`<p class="detail unmatched" key=${o} dir="auto">${r("page.mcp_server.warning",{text:o})}</p>`)}
    ${e.failures?.length>0&&a`<details class="failures" open><summary>${r("page.mcp_server.calls_without_a_result")}</summary>
      <ul class="plain">${e.failures.map(o=>a`<li key=${`${o.at} ${o.tool} ${o.worker}`}><code>${o.tool}</code> ${o.reason} <span class="muted">${l(o.at)}</span></li>`)}</ul></details>`}
    ${e.tools.length>0&&a`<details class="tools"><summary>${e.tools.length===1?r("page.mcp_server.one_tool"):r("page.mcp_server.tools",{n:e.tools.length})}</summary>
      <ul class="plain">${e.tools.map(o=>a`<${k} key=${o.name} tool=${o} />`)}</ul></details>`}
    ${e.left_out?.length>0&&a`<details class="left-out"><summary>${r("page.mcp_server.not_offered",{n:e.left_out.length})}</summary>
      <ul class="plain">${e.left_out.map(o=>a`<li key=${o} dir="auto">${o}</li>`)}</ul></details>`}
    <p class="muted">${[r("page.since_time",{time:l(e.since)}),e.wire==="http"?r("page.mcp_server.by_http"):r("page.mcp_server.a_started_program"),e.single?r("page.mcp_server.one_worker_runs_it"):"",e.worker?r("page.mcp_server.worker",{worker:e.worker}):"",e.protocol?`MCP ${e.protocol}`:""].filter(Boolean).join(", ")}</p>
  </article>`}function k({tool:e}){return a`<li><div class="row"><code>${e.name}</code><span class="muted">${h[e.effect]?.()??e.effect}, ${r("page.mcp_server.from",{role:$(e.role)})}, ${y[e.approval]?.()??e.approval}, ${e.agents.length?r("page.mcp_server.for",{agents:e.agents.map(d).join(", ")}):r("page.mcp_server.for_no_agent")}</span></div>
    ${e.description&&a`<p class="muted" dir="auto">${e.description}</p>`}</li>`}var f=n(null);v(async()=>{f.value=await _("/api/mcp")},2e3);function w(){let e=f.value;return a`
    <${u} />
    <main class="page">
      <h2>${r("page.tools.mcp_servers")}</h2>
      <div id="servers" class="cards">
        ${e?.map(s=>a`<${g} key=${s.name} server=${s} />`)}
        ${e?.length===0&&a`<p class="muted">${i("page.tools.there_no_mcp_servers",{setting:a`<code>mcp_servers</code>`})}</p>`}
      </div>
    </main>
    <${c} />`}m(a`<${w} />`,document.body);
