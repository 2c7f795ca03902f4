import { errorCode } from '~/db/error-code'
/** The body is longer than the server takes, which shows only while it is read when no length was declared. */
export const isTooLarge = (error: unknown) => errorCode(error) === 'ERR_BODY_TOO_LARGE'

/** Undefined if it is no JSON. */
export function parseJsonBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/**
 * A body as JSON; undefined when it is none. One that is too long is for the server to answer, so
 * that is thrown on.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch (error) {
    if (isTooLarge(error)) throw error
    return undefined
  }
}
