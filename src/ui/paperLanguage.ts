import type { Language } from '~/shared/language'

/** What is known of the language that is spoken with a patient. */
export type KnownLanguage = { language: Language | null; clinicLanguage: Language | null }

/**
 * The language of a paper for a patient: the one chosen for this paper, else the patient's, else the clinic's. Only
 * where none of them is known, it is the user's, and the paper says so.
 */
export const paperLanguage = (
  chosen: Language | undefined,
  known: KnownLanguage | null | undefined,
  users: Language,
): Language => chosen ?? known?.language ?? known?.clinicLanguage ?? users
