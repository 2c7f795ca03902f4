export const newNonce = () =>
  btoa(
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      String.fromCharCode(byte),
    ).join(''),
  )

/** OWASP's list for a page that must not be framed, sniffed or cached. */
export function headersOfPage(nonce: string): Record<string, string> {
  return {
    'content-security-policy': contentPolicy(nonce),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=(), payment=(), usb=()',
    // a shared computer's back button must not show the last patient
    'cache-control': 'no-store',
  }
}

function contentPolicy(nonce: string): string {
  // the development server injects scripts of its own and speaks over a web socket
  const [scripts, connect] = import.meta.env.DEV
    ? ["'unsafe-inline'", ' ws:']
    : [`'nonce-${nonce}'`, '']
  return [
    "default-src 'self'",
    // reading barcodes is WebAssembly; this allows that alone, and no eval
    `script-src 'self' 'wasm-unsafe-eval' ${scripts}`,
    // Mantine and sonner put sizes and positions into style attributes
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${connect}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
