import type { ReasonCode } from '../override'

/** The confirmation of a second person. */
export type SecondGiven = { id: string; by: string }

/** A reason as it is being given. */
export type GivenReason = {
  code: ReasonCode | null
  text: string
  medicine?: string
  second?: SecondGiven
}
export type GivenReasons = Readonly<Record<string, GivenReason>>
