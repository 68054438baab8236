import{a as r}from"./chunk-6X5TK3MG.js";import{g as l,i as d}from"./chunk-ZSYFMEBJ.js";import{b as m,e as i,k as t,p as e}from"./chunk-V2GEF5NQ.js";var w=[["read",()=>e("page.new_token.look")],["chat",()=>e("page.new_token.talk_with_agents")],["delegate",()=>e("page.new_token.send_agents_tasks_read")],["admin",()=>e("page.new_token.all_token_can_do")]];function S({path:n,made:s}){let a=i(),c=i(),_=i(),[u,k]=m([]),$=async()=>{let o=[..._.current.querySelectorAll("[name=scope]:checked")].map(g=>g.value).join(" "),{token:p}=await d(n,{name:a.current.value.trim(),days:Number(c.current.value)||0,scope:o});k([...u,p]),a.current.value="",s?.()};return t`<details class="new-token" ref=${_}><summary>${e("page.new_token.new_token")}</summary>
    <div class="row">
      <input aria-label=${e("page.new_token.what_it_is_for")} placeholder=${e("page.new_token.purpose_lower")} maxlength="60" ref=${a} />
      <label class="muted"><input aria-label=${e("page.new_token.days_it_is_valid")} type="number" min="0" max="3650" defaultValue="90" ref=${c} /> ${e("page.new_token.days_0_for_good")}</label>
      <span role="group" aria-label=${e("page.new_token.may_do_nothing_chosen")}>${w.map(([o,p])=>t`<label class="muted" title=${p()}>
        <input type="checkbox" name="scope" value=${o} />${o}</label>`)}</span>
      <${r} label=${e("page.new_token.make")} name="small primary" run=${$} />
    </div>
    ${u.map(o=>t`<${f} key=${o} token=${o} />`)}
  </details>`}function f({token:n}){let[s,a]=m(!1);return t`<p class="secret"><code>${n}</code>
    ${navigator.clipboard&&t`<${r} label=${e(s?"page.copied":"page.copy")} run=${async()=>{await navigator.clipboard.writeText(n),a(!0)}} />`}
    <span class="muted">${e("page.new_token.shown_only_once")}</span></p>`}var y={login:()=>e("page.token_list.login"),link:()=>e("page.token_list.link_to_log_in")};function B({tokens:n,revoke:s}){return n?.length?t`<ul class="plain">${n.map(a=>t`<li class="row" key=${a.id}>
    <span>${y[a.kind]?.()??e("page.token_list.token")}</span>${a.name&&t`<span>${a.name}</span>`}
    ${a.scope&&t`<span class="role">${a.scope.replaceAll(" ",", ")}</span>`}
    <span class="muted">${[e("page.since_time",{time:l(a.created)}),b(a),a.used&&e("page.token_list.used",{time:l(a.used)})].filter(Boolean).join(", ")}</span>
    <${r} label=${e("page.token_list.revoke")} describe=${e("page.token_list.revoke_name",{name:a.name||a.kind})} run=${()=>s(a)} />
  </li>`)}</ul>`:null}function b(n){return n.expires?new Date(n.expires)<new Date?e("page.token_list.expired",{time:l(n.expires)}):e("page.until",{time:l(n.expires)}):e("page.token_list.does_not_expire")}export{S as a,B as b};
