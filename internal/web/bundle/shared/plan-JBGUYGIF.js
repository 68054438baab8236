import{a,b}from"./chunk-IYORWQU7.js";import"./chunk-4DHKOIDS.js";import"./chunk-ZOQTP745.js";export{b as ChatPlan,a as Plan};
