import { localAuthority } from '~/server/certificate/local-certificate.server'
import { env } from '~/server/env'
import { textDirection, type Language, LANGUAGES, type MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { systems } from './systems'
import { respondRoot } from './trust.server'

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * `/trust` on the hub's port, which serves no scripts: the same steps as a page of its own, in every language. The
 * certificate itself is at `/trust?certificate`.
 */
export function respondTrustPage(request: Request): Response {
  if (new URL(request.url).searchParams.has('certificate')) return respondRoot()
  const fingerprint = localAuthority(env().dataDir)?.fingerprint256
  const sections = LANGUAGES.map((language) => trustSection(language, fingerprint)).join('')
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sanad</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>body { font: 16px/1.5 sans-serif; margin: 0 auto; padding: 1rem; max-width: 40rem }
    code { overflow-wrap: anywhere }</style></head><body><main>${sections}</main></body></html>`
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    },
  })
}

function trustSection(language: Language, fingerprint: string | undefined): string {
  const say = (key: MessageKey) => escaped(sentence(language, { key }))
  const steps = systems.map(
    ({ name, steps: keys }) =>
      `<h2>${say(name)}</h2><ol>${keys.map((key) => `<li>${say(key)}</li>`).join('')}</ol>`,
  )
  const body = fingerprint
    ? `<p><a href="/trust?certificate">${say('trust.download')}</a></p>
       <p>${say('trust.fingerprint')}<br><code dir="ltr">${fingerprint}</code></p>
       <p>${say('trust.compare')}</p>${steps.join('')}<p>${say('trust.limits')}</p>`
    : `<p>${say('trust.none')}. ${say('trust.noneText')}</p>
       <p><code dir="ltr">npm run admin -- make-certificate</code></p>`
  return `<section lang="${language}" dir="${textDirection(language)}">
    <h1>${say('trust.title')}</h1><p>${say('trust.lead')}</p>${body}</section>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
