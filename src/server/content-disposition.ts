import { cleanLine } from '~/shared/typed-text'

/**
 * The header for a file of that name, which may hold anything (RFC 6266, with the value of RFC 8187): a lone surrogate
 * becomes U+FFFD, a slash becomes a hyphen, and characters that texts do not keep are left out.
 */
export function contentDisposition(how: 'attachment' | 'inline', name: string): string {
  const plain = cleanLine(name.toWellFormed()).replaceAll(/[/\\\p{Cc}]/gu, '-')
  const encoded = encodeURIComponent(plain).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename*=UTF-8''${encoded}`
}
