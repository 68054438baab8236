import{k as a}from"./chunk-ZSYFMEBJ.js";var t=p=>p==="whatsapp"?"WhatsApp":a(p),s=p=>p.channel==="web"?"":`${t(p.channel)} · `;export{t as a,s as b};
