import type { Actor } from './actor'
import type { Language } from './language'

export const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]

/** Who is looking at the screen and how they want it; without an actor, no user is signed in. */
export type Viewer = {
  actor: Actor | null
  language: Language
  theme: Theme
  /** Where the clinic's day begins. */
  timeZone: string
  /** What the organization calls itself, for the frame and for prints; "" until it is set. */
  organization: string
  /** Columns marked `isOfClinic` are left out of the lists. */
  hasOneClinic: boolean
  /** Sanad is open to the network over plain http (SANAD_INSECURE_HTTP). */
  isInsecure: boolean
}
