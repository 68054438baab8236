import{a as i}from"./chunk-UC5YX7VT.js";import{g as r,i as $}from"./chunk-4DHKOIDS.js";import{b as c,e as l,k as s,o as e}from"./chunk-ZOQTP745.js";var h=[["read",()=>e("look")],["chat",()=>e("talk with agents")],["delegate",()=>e("send agents on tasks, read files of your conversations, answer your questions")],["admin",()=>e("all that a token can do")]];function C({path:n,made:t}){let a=l(),p=l(),u=l(),[d,f]=c([]),y=async()=>{let o=[...u.current.querySelectorAll("[name=scope]:checked")].map(k=>k.value).join(" "),{token:m}=await $(n,{name:a.current.value.trim(),days:Number(p.current.value)||0,scope:o});f([...d,m]),a.current.value="",t?.()};return s`<details class="new-token" ref=${u}><summary>${e("New token")}</summary>
    <div class="row">
      <input aria-label=${e("What it is for")} placeholder=${e("what it is for")} maxlength="60" ref=${a} />
      <label class="muted"><input aria-label=${e("Days it is valid")} type="number" min="0" max="3650" defaultValue="90" ref=${p} /> ${e("days (0: for good)")}</label>
      <span role="group" aria-label=${e("What it may do; nothing chosen: all that its person may")}>${h.map(([o,m])=>s`<label class="muted" title=${m()}>
        <input type="checkbox" name="scope" value=${o} />${o}</label>`)}</span>
      <${i} label=${e("Make")} name="small primary" run=${y} />
    </div>
    ${d.map(o=>s`<${b} key=${o} token=${o} />`)}
  </details>`}function b({token:n}){let[t,a]=c(!1);return s`<p class="secret"><code>${n}</code>
    ${navigator.clipboard&&s`<${i} label=${e(t?"Copied":"Copy")} run=${async()=>{await navigator.clipboard.writeText(n),a(!0)}} />`}
    <span class="muted">${e("This is shown only once.")}</span></p>`}var v={login:()=>e("Login"),link:()=>e("Link to log in")};function j({tokens:n,revoke:t}){return n?.length?s`<ul class="plain">${n.map(a=>s`<li class="row" key=${a.id}>
    <span>${v[a.kind]?.()??e("Token")}</span>${a.name&&s`<span>${a.name}</span>`}
    ${a.scope&&s`<span class="role">${a.scope.replaceAll(" ",", ")}</span>`}
    <span class="muted">${[e("since {time}",{time:r(a.created)}),w(a),a.used&&e("used {time}",{time:r(a.used)})].filter(Boolean).join(", ")}</span>
    <${i} label=${e("Revoke")} describe=${e("Revoke {name}",{name:a.name||a.kind})} run=${()=>t(a)} />
  </li>`)}</ul>`:null}function w(n){return n.expires?new Date(n.expires)<new Date?e("expired {time}",{time:r(n.expires)}):e("until {time}",{time:r(n.expires)}):e("does not expire")}export{C as a,j as b};
