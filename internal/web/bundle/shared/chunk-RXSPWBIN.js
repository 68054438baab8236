import{b as E}from"./chunk-QN7YUJEF.js";import{a as B}from"./chunk-NHA3WXGI.js";import{a as I}from"./chunk-YZC3XOHJ.js";import{a as S,d as C,h as k}from"./chunk-7ANT74VX.js";import{i as d}from"./chunk-4DHKOIDS.js";import{b as $}from"./chunk-56OV5KKZ.js";import{b as m,c as b,e as w,h as v,k as n,l as g,m as y,o as e}from"./chunk-ZOQTP745.js";var p=v(!1);function j(){return n`<button id="settings" class="small" type="button" onClick=${()=>{p.value=!0}}>${e("Settings")}</button>`}function q({conversation:t}){return p.value&&n`<${O} conversation=${t} />`}function O({conversation:t}){let s=w(),[l,i]=m("");B(s,()=>document.getElementById("settings")??document.getElementById("text"));let r=async o=>{i("");try{await o(),$(e("Saved"))}catch(f){i(f.message),$(f.message)}},a=o=>r(async()=>{await d("/api/me",o),await k()}),c=S.value??{},z=Intl.DateTimeFormat().resolvedOptions().timeZone,x=[...new Set([z,c.time_zone].filter(Boolean))];return n`<dialog class="preferences" ref=${s} lang=${y} aria-label=${e("Settings")} onClose=${()=>{p.value=!1}}
      onClick=${o=>{o.target===s.current&&s.current.close()}}>
    <div class="drawer-head"><h2>${e("Settings")}</h2><button class="small" type="button" onClick=${()=>s.current.close()}>${e("Close")}</button></div>
    ${C("POST /api/me")&&n`
      <${u} label=${e("Language of these pages and of errand's own messages")} value=${g[c.language?.split("-")[0]]?c.language.split("-")[0]:""}
        options=${[["",e("As the browser")],...Object.entries(g)]} choose=${o=>a({language:o})} />
      <${u} label=${e("Time zone")} value=${c.time_zone??""} options=${[["",e("Not set")],...x.map(o=>[o,o])]}
        choose=${o=>a({time_zone:o})} />`}
    <${u} label=${e("Colors, in this browser")} value=${localStorage.getItem("theme")??""} options=${[["",e("As the system")],["light",e("Light")],["dark",e("Dark")]]} choose=${T} />
    ${t&&n`<${_} conversation=${t} save=${r} />`}
    <${E} save=${r} />
    <p class="said">${l}</p>
  </dialog>`}function u({label:t,value:s,options:l,choose:i}){return n`<label class="field">${t}
    <${I} value=${s} options=${l} choose=${i} />
  </label>`}function T(t){t?localStorage.setItem("theme",t):localStorage.removeItem("theme"),t?document.documentElement.dataset.theme=t:delete document.documentElement.dataset.theme}var h="usual";function _({conversation:t,save:s}){let[l,i]=m("");if(b(()=>{d(`/api/sessions?chat=${encodeURIComponent(t.chat)}&limit=1`).then(([a])=>i(a?a.busy||h:""),()=>{})},[]),!l)return null;let r=a=>s(async()=>{await t.command(`/busy ${a}`),i(a)});return n`<${u} label=${e("What you write in this chat while the agent is at work")} value=${l} choose=${r} options=${[...l===h?[[h,e("as is usual here")]]:[],["collect",e("waits, and is answered together")],["queue",e("waits, and is answered one by one")],["steer",e("is read before the next step")],["interrupt",e("ends what the agent is at")]]} />`}export{j as a,q as b};
