// Runs before the first paint, so that a dark page never flashes light. Everything else is theme.js.
document.documentElement.dataset.theme = localStorage.getItem("pellucid-theme")
  ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
