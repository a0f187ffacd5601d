// Small charts as SVG nodes: curves with gaps where nothing happened, and columns.

import { pageLanguage } from "../js/words.js";

const NS = "http://www.w3.org/2000/svg";
// Drawn at about the size it is shown in, so that its words are readable on a phone too.
const NARROW = matchMedia("(max-width: 40rem)");
const widthNow = () => (NARROW.matches ? 330 : 560);
const HEIGHT = 170;
const LEFT = 58;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;

function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "tone") node.style.setProperty("--tone", value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** The next number at or above a value whose half is round too: 1, 2, 4 or 6 times a power of ten. */
function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 10].find((n) => n * power >= value * 0.999);
  return step * power;
}

/**
 * Draws series of equal length.
 * @param {{name: string, tone: string, kind: "line" | "column", values: (number | null)[]}[]} series
 * @param {{format: (n: number) => string, top?: number, least?: number, from: Date, to: Date, label: string}} options
 *   `top` fixes the upper end; else it follows the values and is not below `least`.
 */
export function chart(series, { format, top, least = 0, from, to, label }) {
  const known = series.flatMap((one) => one.values).filter((v) => v !== null);
  const most = top ?? niceTop(Math.max(least, ...known));
  const whole = widthNow();
  const count = Math.max(1, series[0].values.length);
  const width = (whole - LEFT - RIGHT) / count;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, value / most));
  const x = (n) => LEFT + width * (n + 0.5);
  const drawing = s("svg", { class: "chart", viewBox: `0 0 ${whole} ${HEIGHT}`, role: "img", "aria-label": label });
  for (const share of [0, 0.5, 1]) {
    const at = y(most * share);
    drawing.append(
      s("line", { class: "grid", x1: LEFT, x2: whole - RIGHT, y1: at, y2: at }),
      s("text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, format(most * share)),
    );
  }
  for (const [share, anchor] of [[0, "start"], [0.5, "middle"], [1, "end"]]) {
    const when = new Date(from.getTime() + (to - from) * share);
    const text = when.toLocaleTimeString(pageLanguage, { hour: "2-digit", minute: "2-digit" });
    const at = LEFT + (whole - LEFT - RIGHT) * share;
    drawing.append(s("text", { x: at, y: HEIGHT - 4, "text-anchor": anchor }, text));
  }
  for (const one of series) {
    drawing.append(...(one.kind === "column" ? columns(one, x, y, width) : curve(one, x, y)));
  }
  return drawing;
}

function columns({ values, tone }, x, y, width) {
  const wide = Math.max(2, width * 0.7);
  return values.flatMap((value, n) => {
    if (!value) return [];
    const height = Math.max(1.5, y(0) - y(value));
    return [s("rect", { class: "column", tone, x: x(n) - wide / 2, y: y(0) - height, width: wide, height, rx: Math.min(2, wide / 3) })];
  });
}

function curve({ values, tone }, x, y) {
  const nodes = [];
  let run = [];
  const close = () => {
    if (run.length === 1) nodes.push(s("circle", { class: "dot", tone, cx: run[0][0], cy: run[0][1], r: 3 }));
    if (run.length > 1) {
      const line = run.map(([a, b], n) => `${n ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
      nodes.push(
        s("path", { class: "area", tone, d: `${line}L${run.at(-1)[0].toFixed(1)} ${y(0)}L${run[0][0].toFixed(1)} ${y(0)}Z` }),
        s("path", { class: "line", tone, d: line }),
      );
    }
    run = [];
  };
  values.forEach((value, n) => (value === null ? close() : run.push([x(n), y(value)])));
  close();
  return nodes;
}
