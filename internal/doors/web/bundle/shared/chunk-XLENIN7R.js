import{p as t}from"./chunk-QMZONXFO.js";var a=p=>p==="whatsapp"?"WhatsApp":t(p),e=p=>p.channel==="web"?"":`${a(p.channel)} · `;export{a,e as b};
