// What this browser shows pages in, light or dark, before anything is painted: a classic
// script in the head, which waits for nothing.

{
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
