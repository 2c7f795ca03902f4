/** Nothing runs in JSON, and a screen makes up to 20 calls: the other headers of a page would be 400 bytes of each. */
export const headersOfData = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** Sets the headers that the response does not have. */
export function setMissing(headers: Headers, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values))
    if (!headers.has(name)) headers.set(name, value)
}
