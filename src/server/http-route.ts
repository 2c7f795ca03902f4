/** A word of an address that a programmer wrote: not an id, a name or a token. */
const word = /^(?:_?[A-Za-z][A-Za-z-]{0,31}|\$[a-z-]{1,24})$/
const mostRoutes = 300
const seen = new Set<string>()

/**
 * The pattern of a path, for logs and metrics: `/app/clinics/$/edit`. What could be an id, a name
 * or a secret becomes `$`. Paths that nothing answered are one pattern, and there are at most 300,
 * so that a scanner cannot fill the memory.
 */
export function routePattern(pathname: string, status: number): string {
  if (status === 404 || status === 405) return '(none)'
  if (pathname.startsWith('/assets/')) return '/assets/$'
  if (pathname.startsWith('/_serverFn/')) return '/_serverFn/$'
  // one call may name many procedures
  if (pathname.startsWith('/api/trpc/')) return '/api/trpc/$'
  const pattern = pathname
    .split('/')
    .map((part, i) =>
      part === '' || word.test(part) || (i === 1 && part.includes('.')) ? part : '$',
    )
    .join('/')
  if (!seen.has(pattern) && seen.size >= mostRoutes) return '(other)'
  seen.add(pattern)
  return pattern
}
