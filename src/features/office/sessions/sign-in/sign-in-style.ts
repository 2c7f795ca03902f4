/**
 * The whole style of the sign-in page, sent inside it: no request but the page itself comes before the user can type.
 * The system's fonts, and the colours of `src/ui/theme.ts`.
 */
export const signInStyle = `
:root {
  /* of the logo */
  --mantine-color-sanad-7: #11655d;
  color-scheme: light;
  --page: #fff; --text: #182026; --faint: #54616c; --line: #84919c; --edge: #dfe5e9; --soft: #f1f4f6;
  --main: #11655d; --press: #0d504a; --wrong: #b42318; --wrong-soft: #fdf1f0; --ring: #11655d;
}
:root[data-theme='dark'] {
  color-scheme: dark;
  --page: #1a2026; --text: #dde3e8; --faint: #a3afb9; --line: #6f7b86; --edge: #343d46; --soft: #262d34;
  --main: #11655d; --press: #187d73; --wrong: #ff9b91; --wrong-soft: #33211f; --ring: #4cb5a7;
}
@media (prefers-color-scheme: dark) {
  :root[data-theme='system'] {
    color-scheme: dark;
    --page: #1a2026; --text: #dde3e8; --faint: #a3afb9; --line: #6f7b86; --edge: #343d46; --soft: #262d34;
    --main: #11655d; --press: #187d73; --wrong: #ff9b91; --wrong-soft: #33211f; --ring: #4cb5a7;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Arabic', Tahoma, sans-serif;
}
main {
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  align-items: center;
  justify-content: center;
  gap: 1.25rem;
  padding: 1rem;
}
.brand { display: flex; align-items: center; gap: 0.75rem; font-size: 1.5rem; font-weight: 700; }
.card {
  width: 100%;
  max-width: 26rem;
  padding: 2rem;
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
}
@media (max-width: 30em) { .card { padding: 1.5rem 1.25rem; } }
h1 { margin: 0; font-size: 1.125rem; line-height: 1.4; }
p { margin: 0; font-size: 0.875rem; color: var(--faint); }
h1 + p { margin-block-start: 0.25rem; }
form { display: grid; gap: 1rem; margin-block-start: 1.25rem; }
label { display: block; font-size: 0.875rem; font-weight: 500; }
label + p { font-size: 0.75rem; }
.box { position: relative; margin-block-start: 0.25rem; }
input {
  display: block;
  width: 100%;
  min-height: 2.5rem;
  padding: 0.375rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--page);
  color: inherit;
  font: inherit;
}
[dir='rtl'] input[dir='ltr'] { text-align: right; }
.box.secret input { padding-inline: 0.75rem; }
.box.secret.shows input { padding-right: 2.75rem; }
.box.secret button { position: absolute; inset-block: 0; right: 0; width: 2.5rem; min-height: 0; padding: 0; }
input[aria-invalid] { border-color: var(--wrong); }
.wrong { margin-block-start: 0.25rem; color: var(--wrong); }
.alert {
  padding: 0.75rem 1rem;
  border-radius: 0.5rem;
  background: var(--wrong-soft);
  color: var(--wrong);
  font-weight: 600;
}
button, a.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: 2.25rem;
  padding: 0.375rem 1.125rem;
  border: 0;
  border-radius: 0.5rem;
  background: none;
  color: inherit;
  font: inherit;
  font-size: 0.875rem;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
button:hover, a.button:hover { background: var(--soft); }
button.main { background: var(--main); color: #fff; }
button.main:hover { background: var(--press); }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.languages {
  display: flex;
  flex-wrap: wrap;
  margin: 0;
  padding: 0.25rem;
  border: 0;
  border-radius: 0.5rem;
  background: var(--soft);
}
.languages button { min-height: 2rem; padding: 0.25rem 0.75rem; font-weight: 500; }
.languages button[aria-pressed='true'] { background: var(--page); box-shadow: 0 1px 2px #0003; }
:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px; }
[hidden] { display: none !important; }
@media (forced-colors: active) {
  button.main, .card, .languages button[aria-pressed='true'] { border: 1px solid ButtonText; }
  .languages button[aria-pressed='true'] { background: Highlight; color: HighlightText; forced-color-adjust: none; }
}
`
