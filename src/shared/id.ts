import { v7 } from 'uuid'

/**
 * The id of a new record (UUID v7: it sorts by time). The creator of the record chooses it, so a
 * repeated request makes only one.
 */
export const newId = () => v7()

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of text from outside: what is no UUID matches nothing, and is never cast. */
export const isId = (value: unknown): value is string =>
  typeof value === 'string' && UUID.test(value)
