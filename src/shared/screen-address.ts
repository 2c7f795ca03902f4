/**
 * The address of one of our screens, as a Location header takes it, or undefined. A URL keeps no
 * line breaks, encodes what is not ASCII, and resolves `..` before the path is compared.
 */
export function toScreenAddress(address: string): string | undefined {
  const url = address.startsWith('/') ? URL.parse(address, ORIGIN) : null
  if (url?.origin !== ORIGIN || !/^\/app(\/|$)/.test(url.pathname)) return undefined
  return url.pathname + url.search + url.hash
}
const ORIGIN = 'http://sanad.invalid'
