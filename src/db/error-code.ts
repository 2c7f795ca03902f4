/** The code of an error of Node or PostgreSQL; "" of another. */
export function errorCode(error: unknown): string {
  const code: unknown = Object(error).code
  return typeof code === 'string' ? code : ''
}
