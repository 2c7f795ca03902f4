/** The operation of an entry of the access log that says how many entries could not be written. */
export const LOST_ACCESSES = 'audit.lost'
