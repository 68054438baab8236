import{n as t}from"./chunk-65WAY4V7.js";var a=p=>p==="whatsapp"?"WhatsApp":t(p),e=p=>p.channel==="web"?"":`${a(p.channel)} · `;export{a,e as b};
