// The icons of the pages, from lucide. Beside a word they only repeat it, so screen readers skip them.

import alarmClock from "lucide/icons/alarm-clock.mjs";
import archive from "lucide/icons/archive.mjs";
import arrowDown from "lucide/icons/arrow-down.mjs";
import arrowLeft from "lucide/icons/arrow-left.mjs";
import arrowUp from "lucide/icons/arrow-up.mjs";
import ban from "lucide/icons/ban.mjs";
import bookOpen from "lucide/icons/book-open.mjs";
import chartColumn from "lucide/icons/chart-column.mjs";
import check from "lucide/icons/check.mjs";
import chevronDown from "lucide/icons/chevron-down.mjs";
import chevronLeft from "lucide/icons/chevron-left.mjs";
import chevronRight from "lucide/icons/chevron-right.mjs";
import circle from "lucide/icons/circle.mjs";
import circleCheck from "lucide/icons/circle-check.mjs";
import circleDashed from "lucide/icons/circle-dashed.mjs";
import circleX from "lucide/icons/circle-x.mjs";
import clock from "lucide/icons/clock.mjs";
import cloudOff from "lucide/icons/cloud-off.mjs";
import copy from "lucide/icons/copy.mjs";
import cornerDownRight from "lucide/icons/corner-down-right.mjs";
import cpu from "lucide/icons/cpu.mjs";
import download from "lucide/icons/download.mjs";
import ellipsis from "lucide/icons/ellipsis.mjs";
import externalLink from "lucide/icons/external-link.mjs";
import fileCode from "lucide/icons/file-code.mjs";
import fileText from "lucide/icons/file-text.mjs";
import globe from "lucide/icons/globe.mjs";
import history from "lucide/icons/rotate-ccw-clock.mjs";
import image from "lucide/icons/image.mjs";
import keyRound from "lucide/icons/key-round.mjs";
import link from "lucide/icons/link.mjs";
import listChecks from "lucide/icons/list-checks.mjs";
import listTree from "lucide/icons/list-tree.mjs";
import logOut from "lucide/icons/log-out.mjs";
import menu from "lucide/icons/menu.mjs";
import messageSquare from "lucide/icons/message-square.mjs";
import panelRight from "lucide/icons/panel-right.mjs";
import paperclip from "lucide/icons/paperclip.mjs";
import pencil from "lucide/icons/pencil.mjs";
import pin from "lucide/icons/pin.mjs";
import plug from "lucide/icons/plug.mjs";
import plus from "lucide/icons/plus.mjs";
import power from "lucide/icons/power.mjs";
import question from "lucide/icons/message-circle-question-mark.mjs";
import rotate from "lucide/icons/rotate-ccw.mjs";
import scrollText from "lucide/icons/scroll-text.mjs";
import search from "lucide/icons/search.mjs";
import settings from "lucide/icons/settings.mjs";
import sheet from "lucide/icons/sheet.mjs";
import square from "lucide/icons/square.mjs";
import squarePen from "lucide/icons/square-pen.mjs";
import trash from "lucide/icons/trash.mjs";
import user from "lucide/icons/user.mjs";
import users from "lucide/icons/users.mjs";
import wrench from "lucide/icons/wrench.mjs";
import x from "lucide/icons/x.mjs";

const icons = {
  alarmClock, archive, arrowDown, arrowLeft, arrowUp, ban, bookOpen, chartColumn, check, chevronDown, chevronLeft, chevronRight, circle, circleCheck, circleDashed, circleX,
  clock, cloudOff, copy, cornerDownRight, cpu, download, ellipsis, externalLink, fileCode, fileText, globe, history, image, keyRound, link, listChecks, listTree, logOut, menu,
  messageSquare, panelRight, paperclip, pencil, pin, plug, plus, power, question, rotate, scrollText, search, settings, sheet, square, squarePen, trash, user, users, wrench, x,
};

export type IconName = keyof typeof icons;

export function Icon({name}: {name: IconName}) {
  return <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{icons[name].map(([Tag, attributes], i) => <Tag key={i} {...attributes} />)}</svg>;
}
