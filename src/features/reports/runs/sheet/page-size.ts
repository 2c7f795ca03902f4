/**
 * The `size` of CSS for what a definition says of its page, such as "A5 portrait". Without a size it is A4, and without
 * an orientation landscape: most sheets are wide.
 */
export function pageSize(page = ''): string {
  const [size = 'A4'] = /\bA[345]\b/i.exec(page) ?? []
  return `${size.toUpperCase()} ${/portrait/i.test(page) ? 'portrait' : 'landscape'}`
}
