// What the person chose for this browser; nothing is stored before they choose.

const KEY = "pellucid-settings";
const DEFAULTS = { page: "", language: "auto", style: "natural", depth: "standard", model: "", keys: true };

export const settings = { ...DEFAULTS, ...read() };

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

export function choose(changes) {
  Object.assign(settings, changes);
  localStorage.setItem(KEY, JSON.stringify(settings));
}
