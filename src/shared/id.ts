import { v7 } from 'uuid'

/**
 * The id of a new record (UUID v7: it sorts by time). The creator of the record chooses it, so a
 * repeated request makes only one.
 */
export const newId = () => v7()
