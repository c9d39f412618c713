// What the server draws follows the browser's theme: the page is drawn again when light turns to dark, or back. And the
// browser follows the page: another one is shown from its top. The app's class changes with its theme; only the theme is
// compared with the one that the page was drawn for.
export default function ({ data, setTriggerValue }) {
  const main = document.querySelector("[data-testid=stMain]");
  if (main.dataset.page !== data.page) main.scrollTo(0, 0);
  main.dataset.page = data.page;
  const app = document.querySelector("[data-testid=stApp]");
  let drawn = data.dark;
  const observer = new MutationObserver(() => {
    const dark = getComputedStyle(app).colorScheme === "dark";
    if (dark !== drawn) setTriggerValue("changed", (drawn = dark));
  });
  observer.observe(app, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}
