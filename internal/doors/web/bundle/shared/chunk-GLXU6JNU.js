import{j as o}from"./chunk-TLIK5HBT.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
