import{q as o}from"./chunk-YOVBQ4OI.js";var t=p=>p==="whatsapp"?"WhatsApp":o(p),e=(p,s="")=>p==="web"?t(p):`${t(p)}, ${s}`,r=p=>p.channel==="web"?"":`${t(p.channel)} · `;export{t as a,e as b,r as c};
