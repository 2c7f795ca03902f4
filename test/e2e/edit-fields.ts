import type { Deed } from './form-screen'

type Lands = Record<string, unknown>
/** What a user does with a field, and the columns that change by it. */
export type Field = { label: string; deed: Deed; lands: Lands }

export const type = (label: string, text: string, lands: Lands): Field => ({
  label,
  deed: { type: text },
  lands,
})
export const pick = (label: string, options: string[], lands: Lands): Field => ({
  label,
  deed: { pick: options },
  lands,
})
export const add = (label: string, word: string, lands: Lands): Field => ({
  label,
  deed: { add: word },
  lands,
})
export const toggle = (label: string, lands: Lands): Field => ({
  label,
  deed: { toggle: true },
  lands,
})
export const choose = (label: string, option: string, lands: Lands, search?: string): Field => ({
  label,
  deed: { choose: option, search },
  lands,
})
