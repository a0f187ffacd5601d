// Line icons of 24 × 24; their words stand beside them or in the name of their button.

const PATHS = {
  close: "m6 6 12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  down: "M17 13V4h3v9zm0 0-4 7c-1.500 0-2.300-1.200-2-2.600l.6-3.400H6a2 2 0 0 1-2-2.400l1.200-6A2 2 0 0 1 7.200 4H17",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  regenerate: "M20 12a8 8 0 1 1-2.300-5.700M20 4v4.500h-4.500",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  up: "M7 11v9H4v-9zm0 0 4-7c1.500 0 2.300 1.200 2 2.600L12.400 10H18a2 2 0 0 1 2 2.400l-1.200 6A2 2 0 0 1 16.800 20H7",
};
const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(document.createElementNS(SVG, "path"));
  drawing.firstChild.setAttribute("d", PATHS[name]);
  return drawing;
}
