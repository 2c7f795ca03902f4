/** Where the browser calls server functions; each answer names its operation in a header. */
export const SERVER_FUNCTIONS = '/_serverFn/'
export const OPERATION_HEADER = 'x-sanad-operation'

/** A word of an address that a programmer wrote: not an id, a name or a token. */
const word = /^(?:_?[A-Za-z][A-Za-z-]{0,31}|\$[a-z-]{1,24})$/
const mostRoutes = 300
const seen = new Set<string>()

/**
 * The pattern of a path, for logs and metrics: `/app/clinics/$/edit`, `/_serverFn/clinics.save`. What
 * could be an id, a name or a secret becomes `$`. Paths that nothing answered are one pattern, and
 * there are at most 300, so that a scanner cannot fill the memory.
 */
export function routePattern(pathname: string, status: number, operation?: string): string {
  if (operation) return SERVER_FUNCTIONS + operation
  if (status === 404 || status === 405) return '(none)'
  if (pathname.startsWith('/assets/')) return '/assets/$'
  if (pathname.startsWith(SERVER_FUNCTIONS)) return `${SERVER_FUNCTIONS}$`
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
