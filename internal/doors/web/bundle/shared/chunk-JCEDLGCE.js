import{k as t}from"./chunk-V2GEF5NQ.js";function a({value:o,options:$,all:n,choose:i,...l}){return t`<select value=${o} onChange=${e=>i(e.target.value)} ...${l}>
    ${n!==void 0&&t`<option value="">${n}</option>`}
    ${$.map(([e,p,r])=>t`<option key=${e} value=${e} title=${r} selected=${e===o}>${p}</option>`)}
  </select>`}export{a};
