// Runs before the first frame is drawn: gives it the colours and the language that the page will have, and says when the rest of that does not come.
const page = document.documentElement;
const scheme = localStorage.getItem("mantine-color-scheme-value");
const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
page.dataset.mantineColorScheme = dark ? "dark" : "light";
const language = localStorage.getItem("dovetail-language") ?? navigator.language;
page.lang = /^"?ru/.test(language) ? "ru" : "en";
const address = new URLSearchParams(location.search);
if (address.get("changeSet") || address.get("asOf")) page.dataset.banner = ""; // a bar across the top will say so
const say = () => document.querySelector("#frame-failed")?.removeAttribute("hidden");
const onError = ({ target }) => {
  if (!(target instanceof HTMLScriptElement) && target.rel !== "stylesheet") return;
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", say);
  else say();
};
addEventListener("error", onError, true);
