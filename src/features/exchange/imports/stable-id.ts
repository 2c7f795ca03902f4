import { v5, validate, version } from 'uuid'

/** The namespace of our ids. A change would import everything a second time. */
const NAMESPACE = '8f4b1c0e-5d0b-4c58-9a62-0d1f6f3f2b7a'

/** The same id for the same words on every machine (UUID v5, RFC 9562). */
export const stableId = (...words: string[]) => v5(JSON.stringify(words), NAMESPACE)

/**
 * The id of the source if it is a UUID by RFC 9562 (Synthea's often are not), otherwise one derived
 * from it.
 */
export const ownOrStableId = (kind: string, id: string) =>
  validate(id) && version(id) > 0 ? id.toLowerCase() : stableId(kind, id)
