/** Nothing runs in JSON, and a screen makes up to 20 calls: the other headers of a page would be 400 bytes of each. */
export const headersOfData = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}
