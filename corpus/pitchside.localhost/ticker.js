// The ticker is loaded here on the live site; the demonstration keeps the text in noscript.
document.getElementById("app").textContent = "Connecting to the live ticker…";
