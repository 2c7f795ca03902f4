/**
 * What the sign-in page can do beside its form once script runs: show a password, and fetch what the first screen
 * needs while the user types. The page is complete without it.
 */
export const signInScript = (assets: readonly string[]) => `(() => {
  // the server was asked for '/': a proxy has taken a path away
  if (location.pathname !== '/') document.getElementById('below').hidden = false
  for (const button of document.querySelectorAll('.secret button')) {
    const input = button.parentElement.querySelector('input')
    button.parentElement.classList.add('shows')
    button.hidden = false
    button.addEventListener('click', () => {
      const isShown = input.type === 'password'
      input.type = isShown ? 'text' : 'password'
      button.setAttribute('aria-pressed', isShown)
    })
  }
  const prefetch = (href) => {
    const link = document.createElement('link')
    if (!link.relList.supports('prefetch')) return fetch(href).catch(() => {})
    link.rel = 'prefetch'
    link.as = /css$/.test(href) ? 'style' : /woff2$/.test(href) ? 'font' : /json$/.test(href) ? 'fetch' : 'script'
    if (link.as === 'font' || link.as === 'fetch') link.crossOrigin = 'anonymous'
    link.href = href
    document.head.append(link)
  }
  addEventListener('load', () => setTimeout(() => ${JSON.stringify(assets)}.forEach(prefetch)))
})()`
